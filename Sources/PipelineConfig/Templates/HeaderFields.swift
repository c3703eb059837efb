internal import Pipeline

/// The rules for what can be sent as a header field (RFC 9110, section 5).
package enum HeaderFields {
    /// The fields that a header may keep when a redirect leaves the origin: nothing that says who asks.
    package static let harmless: Set<String> = ["accept", "accept-language", "user-agent", "content-type"]

    /// The names that say how the message is framed; the client writes them itself.
    private static let framing: Set<String> = ["content-length", "transfer-encoding"]

    /// The form of a name (RFC 9110, section 5.6.2) as a regular expression.
    package static let namePattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"

    /// The reason why one of `headers` cannot be sent; nil if all can be.
    ///
    /// - Parameter reserved: names, in lower case, that the handshake sends itself.
    package static func problem(of headers: FieldMap<SecretTemplate>, reserved: Set<String> = []) -> FieldProblem? {
        for (name, value) in headers {
            guard isToken(name) else { return .name("`\(name.shortened)` is not a header name: expected letters, digits and `-`") }
            if isFraming(name) { return .name("`\(name)` cannot be set: it follows from the body") }
            if reserved.contains(name.lowercased()) { return .name("`\(name)` cannot be set: the handshake sends it") }
            // What a parameter is filled with is looked at before each request.
            for case .literal(let text) in value.template.pieces where !canBeValue(text) {
                let found = text.utf8.contains { $0 == 10 || $0 == 13 } ? "line break" : "control character"
                return .value("malformed value of the header `\(name.shortened)`: there is a \(found) in it", help: "remove the \(found)")
            }
        }
        return nil
    }

    /// Indicates whether `value` has no line break in it, nor any other control character but the tab.
    package static func canBeValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == UInt8(ascii: "\t") }
    }

    /// Indicates whether `tag` is an entity tag to ask with: not empty, at most 1 KB, and text. One that is not UTF-8 comes with U+FFFD in
    /// the place of its bytes, so that two of them could look the same.
    package static func canBeTag(_ tag: String) -> Bool {
        !["", "\"\"", "W/\"\""].contains(tag) && tag.utf8.count <= 1_024 && !tag.unicodeScalars.contains("\u{FFFD}") && canBeValue(tag)
    }

    /// Indicates whether `name` says how the message is framed.
    static func isFraming(_ name: String) -> Bool { framing.contains(name.lowercased()) }

    /// The form of a name of letters, digits, `-`, `_` and full stops, which begins with a letter: all that are registered have it.
    static let commonNamePattern = "[A-Za-z][A-Za-z0-9_.-]*"

    /// Indicates whether `name` is of the form ``commonNamePattern``.
    static func isCommonName(_ name: String) -> Bool {
        name.utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 } == true
            && name.unicodeScalars.allSatisfy { Identifier.canContain($0) || $0 == "-" || $0 == "." }
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
