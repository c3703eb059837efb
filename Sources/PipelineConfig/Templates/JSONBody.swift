package import Pipeline
internal import PipelineJSON

/// Fills JSON texts (RFC 8259), one or several. Inside a string a value becomes a part of it; elsewhere it is a value of its own:
/// a number, `true`, `false` or `null` as it is, anything else as a string.
///
/// The same holds within a string that has such a text in it, or a GraphQL document: the string of the member `query`.
package enum JSONBody {
    /// The text for `key`.
    package static func fill(_ template: TextTemplate, for key: Key) -> [UInt8] {
        var values: [String] = []
        // NUL cannot stand in JSON, so that it marks the places.
        let text = Array(
            template.filled(for: key) {
                values.append($0)
                return "\0"
            }.utf8)
        var rest = values[...]
        var result: [UInt8] = []
        var outer = JSONPlace(language: .json)
        // Within the text that the string has in it.
        var inner: JSONPlace?
        for (index, byte) in text.enumerated() {
            guard byte != 0 else {
                let value = rest.popFirst() ?? ""
                guard var place = inner else {
                    result += outer.taking(value).utf8
                    continue
                }
                if outer.isEscaped { place.read(UInt8(ascii: "\\")) }
                let written = place.taking(value)
                inner = place
                result += outer.taking(written).utf8
                continue
            }
            if outer.isInString, let read = outer.decoded(byte) { inner?.read(read) }
            let wasInString = outer.isInString
            outer.read(byte)
            if outer.isInString != wasInString {
                inner = wasInString ? nil : JSONPlace.Language(of: text[(index + 1)...], behind: text[..<index]).map(JSONPlace.init)
            }
            result.append(byte)
        }
        return result
    }
}

/// Where a reader of a text stands that has strings in it.
private struct JSONPlace {
    enum Language {
        case json
        case graphQL
    }

    let language: Language
    private(set) var isInString = false
    private(set) var isEscaped = false

    init(language: Language) {
        self.language = language
    }

    /// Reads the next byte.
    mutating func read(_ byte: UInt8) {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
        isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
        // No string of one line goes on in the next, and a quotation mark in a comment of GraphQL opens none.
        if language == .graphQL, byte == UInt8(ascii: "\n") { isInString = false }
    }

    /// How `value` is written here.
    mutating func taking(_ value: String) -> String {
        // A backslash before the place must not swallow the first byte of the value.
        let before = isEscaped ? "\\" : ""
        isEscaped = false
        if isInString { return before + JSONText.escaped(value) }
        return Self.isScalar(value) || language == .graphQL && Self.isName(value) ? value : "\"\(JSONText.escaped(value))\""
    }

    /// What `byte` of a string, which comes next, stands for; nil where it begins an escape.
    func decoded(_ byte: UInt8) -> UInt8? {
        guard isEscaped else { return byte == UInt8(ascii: "\\") ? nil : byte }
        return byte == UInt8(ascii: "n") || byte == UInt8(ascii: "r") ? UInt8(ascii: "\n") : byte
    }

    /// A name of GraphQL: of a field, or a value of an enum.
    private static func isName(_ value: String) -> Bool {
        value.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) } ?? false
            && value.unicodeScalars.allSatisfy { $0.isASCII && ($0 == "_" || $0.properties.isAlphabetic || "0"..."9" ~= $0) }
    }

    private static func isScalar(_ value: String) -> Bool {
        ["true", "false", "null"].contains(value) || isNumber(value)
    }

    private static func isNumber(_ value: String) -> Bool {
        var rest = value.utf8[...]
        func digits() -> Int {
            let count = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
            rest = rest.dropFirst(count)
            return count
        }
        func skip(_ choices: String) -> Bool {
            guard let first = rest.first, choices.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = skip("-")
        let hasLeadingZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !hasLeadingZero || whole == 1 else { return false }
        if skip("."), digits() == 0 { return false }
        if skip("eE") {
            _ = skip("+-")
            if digits() == 0 { return false }
        }
        return rest.isEmpty
    }
}

extension JSONPlace.Language {
    private static let operations = ["query", "mutation", "subscription", "fragment"]

    /// The language of the text in a string that `text` begins with, where it has one; `before` is what stands before its quotation mark.
    init?(of text: ArraySlice<UInt8>, behind before: ArraySlice<UInt8>) {
        let start = Self.withoutBlanks(text)
        guard let first = start.first else { return nil }
        let second = Self.withoutBlanks(start.dropFirst())
        let isList = first == UInt8(ascii: "[") && (second.first == UInt8(ascii: "{") || second.first == UInt8(ascii: "["))
        let isOpen = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        if isList || isOpen && second.starts(with: "\\\"".utf8) {
            self = .json
        } else if Self.isQuery(before), Self.isDocument(start) {
            self = .graphQL
        } else {
            return nil
        }
    }

    private static func isQuery(_ before: ArraySlice<UInt8>) -> Bool {
        before.reversed().drop { " \t\r\n:".utf8.contains($0) }.starts(with: "\"query\"".utf8.reversed())
    }

    /// Whether it begins as a document does. A text to search for has no braces.
    private static func isDocument(_ text: ArraySlice<UInt8>) -> Bool {
        var previous: UInt8 = 0
        let string = text.prefix { byte in
            defer { previous = byte }
            return byte != UInt8(ascii: "\"") || previous == UInt8(ascii: "\\")
        }
        let begins = operations.contains { string.starts(with: $0.utf8) } || "{#".utf8.contains(string.first ?? 0)
        return begins && string.contains(UInt8(ascii: "{"))
    }

    private static func withoutBlanks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text
        while let first = rest.first {
            if " \t\r\n".utf8.contains(first) {
                rest = rest.dropFirst()
            } else if first == UInt8(ascii: "\\"), let next = rest.dropFirst().first, "nrt".utf8.contains(next) {
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        return rest
    }
}
