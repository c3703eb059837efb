internal import Pipeline

/// A text that looks like a variable or a parameter and is neither: `$user`, `{{user}}`, `:user` in the path of a URL.
struct Lookalike {
    /// How it is written.
    enum Form {
        case dollar
        case doubleBraces
        case colon
    }

    let name: String
    let form: Form
    /// Where it stands, in Unicode scalars of the whole text.
    let range: Range<Int>

    /// Those in what the file itself says. What `$$` gives, and what comes from outside, looks like nothing.
    static func all(in text: InterpolatedText) -> [Lookalike] {
        var found: [Lookalike] = []
        for case .literal(let literal, let offset) in text.pieces where literal.hasByte(UInt8(ascii: "$")) || literal.contains("{{") {
            let scalars = Array(literal.unicodeScalars)
            if declaresVariables(scalars) { continue }
            var index = 0
            while index + 1 < scalars.count {
                if let lookalike = dollar(in: scalars, at: index, offset: offset) ?? doubleBraces(in: scalars, at: index, offset: offset) {
                    found.append(lookalike)
                    index = lookalike.range.upperBound - offset
                } else {
                    index += 1
                }
            }
        }
        return found
    }

    /// The segments of the path of a URL that begin with a colon: `/friends/:user`.
    static func segments(of url: InterpolatedText) -> [Lookalike] {
        var found: [Lookalike] = []
        for case .literal(let literal, let offset) in url.pieces where literal.contains("/:") {
            let scalars = Array(literal.unicodeScalars)
            for start in scalars.indices.dropFirst() where scalars[start] == ":" && scalars[start - 1] == "/" {
                guard let (name, end) = name(in: scalars, at: start + 1),
                    end == scalars.count || "/?#.".unicodeScalars.contains(scalars[end])
                else { continue }
                found.append(Lookalike(name: name, form: .colon, range: (offset + start)..<(offset + end)))
            }
        }
        return found
    }

    private static func dollar(in scalars: [Unicode.Scalar], at start: Int, offset: Int) -> Lookalike? {
        guard scalars[start] == "$", let (name, end) = name(in: scalars, at: start + 1) else { return nil }
        return Lookalike(name: name, form: .dollar, range: (offset + start)..<(offset + end))
    }

    /// The parameter in two pairs of braces, spaces within them or not, that begins at `start`; nil when there is none.
    static func doubleBraces(in scalars: [Unicode.Scalar], at start: Int, offset: Int = 0) -> Lookalike? {
        func skipSpaces(_ index: Int) -> Int {
            var index = index
            while index < scalars.count, scalars[index] == " " { index += 1 }
            return index
        }
        guard start + 1 < scalars.count, scalars[start] == "{", scalars[start + 1] == "{",
            let (name, nameEnd) = name(in: scalars, at: skipSpaces(start + 2))
        else { return nil }
        let end = skipSpaces(nameEnd)
        guard end + 1 < scalars.count, scalars[end] == "}", scalars[end + 1] == "}" else { return nil }
        return Lookalike(name: name, form: .doubleBraces, range: (offset + start)..<(offset + end + 2))
    }

    private static func name(in scalars: [Unicode.Scalar], at start: Int) -> (name: String, end: Int)? {
        var end = start
        while end < scalars.count, Identifier.canContain(scalars[end]) { end += 1 }
        let name = String(String.UnicodeScalarView(scalars[start..<max(start, end)]))
        return Identifier.isValid(name) ? (name, end) : nil
    }

    /// Whether the text has variables of its own, as a query in GraphQL: `query($user: ID!) { … }`.
    private static func declaresVariables(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.indices.contains { index in
            guard scalars[index] == "$", let (_, end) = name(in: scalars, at: index + 1), end < scalars.count, scalars[end] == ":" else {
                return false
            }
            guard let next = scalars[(end + 1)...].first(where: { $0 != " " }) else { return false }
            return next == "[" || next.properties.isAlphabetic
        }
    }
}

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
