internal import Pipeline

/// A text that looks like a variable or a parameter and is neither: `$user`, `{{user}}`.
struct Lookalike {
    /// How it is written.
    enum Form {
        case dollar
        case doubleBraces
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
