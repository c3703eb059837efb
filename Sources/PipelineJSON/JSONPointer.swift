/// A place in a JSON value (RFC 6901): `/friend/id`. The empty text is the whole value.
public struct JSONPointer: Sendable, Hashable {
    /// The names and indices on the way, unescaped.
    public let tokens: [String]

    /// The pointer that `text` spells; nil where it is not of the form of RFC 6901: it must be empty or begin with `/`, and `~` stands only in
    /// `~0` and `~1`.
    public init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.removeFirst().isEmpty else { return nil }
        var tokens: [String] = []
        for part in parts {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// The whole value.
    public static let whole = JSONPointer(tokens: [])

    private init(tokens: [String]) {
        self.tokens = tokens
    }

    private static func unescaped(_ part: Substring) -> String? {
        var token = ""
        var rest = part.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "~" else {
                token.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "0": token.unicodeScalars.append("~")
            case "1": token.unicodeScalars.append("/")
            default: return nil
            }
        }
        return token
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The text of RFC 6901.
    public var description: String {
        tokens.map { token in
            "/"
                + String(
                    String.UnicodeScalarView(
                        token.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                            switch scalar {
                            case "~": ["~", "0"]
                            case "/": ["~", "1"]
                            default: [scalar]
                            }
                        }))
        }.joined()
    }
}
