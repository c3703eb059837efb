/// The reference that was meant by one in the spelling of another program: `${NAME}` for `${{ NAME }}` or `${env:NAME}`.
enum MeantReference: Equatable {
    /// To a variable or a parameter of this name.
    case name(String)
    /// To a variable, with the rest of the text that belongs to it.
    case written(String)

    private static let longest = 60

    /// What `${` and all that follows it was meant to be, when the brace that closes it is missing.
    init?(unclosed rest: ArraySlice<Unicode.Scalar>) {
        let name = String(String.UnicodeScalarView(rest.prefix(while: Identifier.canContain)))
        let after = rest.dropFirst(name.unicodeScalars.count)
        guard Identifier.isValid(name), after.count < Self.longest, !after.contains("$"), after.first != ":" else { return nil }
        self = .written("${\(name)}" + String(String.UnicodeScalarView(after)))
    }

    /// What stands between `${` and the first `}`, when a second brace is open.
    init?(doubleBraces inside: ArraySlice<Unicode.Scalar>) {
        guard inside.first == "{" else { return nil }
        var name = String(String.UnicodeScalarView(inside.dropFirst())).filter { !$0.isWhitespace }
        for context in ["env.", "vars.", "secrets."] where name.hasPrefix(context) { name = String(name.dropFirst(context.count)) }
        guard Identifier.isValid(name) else { return nil }
        self = .name(name)
    }

    /// What stands within `${` and `}`.
    init?(inside text: String) {
        let text = text.filter { !$0.isWhitespace }
        for context in ["env:", "env.", "ENV:", "Env:"] where text.hasPrefix(context) && Identifier.isValid(text.dropFirst(context.count)) {
            self = .name(String(text.dropFirst(context.count)))
            return
        }
        let name = String(String.UnicodeScalarView(text.unicodeScalars.prefix(while: Identifier.canContain)))
        let rest = String(text.unicodeScalars.dropFirst(name.unicodeScalars.count))
        guard Identifier.isValid(name), text.utf8.count < Self.longest else { return nil }
        if rest.isEmpty {
            self = .name(name)
        } else if let sign = rest.first, "-?".contains(sign) {
            self = .written("${\(name):\(rest)}")
        } else if rest.hasPrefix(":=") || rest.first == "=" {
            self = .written("${\(name):-\(rest.drop { ":=".contains($0) })}")
        } else if rest.first == ":", rest.dropFirst().first.map({ $0.isLetter || $0.isNumber || "/.".contains($0) }) == true {
            self = .written("${\(name):-\(rest.dropFirst())}")
        } else {
            return nil
        }
    }
}
