/// A place in a JSON value (RFC 6901): `/friend/id`. The empty text names all of the value.
public struct JSONPointer: Sendable, Hashable {
    /// The names and indices on the way, unescaped.
    public let tokens: [String]

    /// The pointer that `text` spells; nil if it is not of the form of RFC 6901: it must be empty or begin with `/`, and `~` stands only in
    /// `~0` and `~1`.
    public init?(_ text: String) {
        guard let pointer = try? JSONPointer(parsing: text) else { return nil }
        self = pointer
    }

    /// The pointer that `text` spells. Throws what is wrong with it, and where.
    public init(parsing text: String) throws(JSONPath.Problem) {
        var tokens: [String] = []
        var offset = 0
        var rest = text.unicodeScalars[...]
        if let first = rest.first, first != "/" {
            throw JSONPath.Problem(message: "a JSON Pointer begins with `/`", offset: 0, isMalformed: true)
        }
        while let scalar = rest.popFirst() {
            let last = tokens.count - 1
            switch scalar {
            case "/": tokens.append("")
            case "~":
                guard let escaped = rest.popFirst().flatMap({ $0 == "0" ? "~" : $0 == "1" ? "/" : nil }) else {
                    throw JSONPath.Problem(message: "`~` stands only in `~0` and `~1`", offset: offset, isMalformed: true)
                }
                tokens[last] += escaped
                offset += 1
            default: tokens[last].unicodeScalars.append(scalar)
            }
            offset += 1
        }
        self.tokens = tokens
    }

    /// The pointer to all of the value.
    public static let whole = JSONPointer(tokens: [])

    /// The pointer along these names and indices, unescaped.
    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// The pointer that goes on from the end of this one.
    public static func + (left: JSONPointer, right: JSONPointer) -> JSONPointer { JSONPointer(tokens: left.tokens + right.tokens) }
}

extension JSONPointer: CustomStringConvertible {
    /// The text of RFC 6901.
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
                text += token
                continue
            }
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}
