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
        let text = template.filled(for: key) {
            values.append($0)
            return "\0"
        }
        var filling = Filling(values: values[...])
        return filling.json(Array(text.utf8))
    }
}

/// What fills the places of a text, in their order. Each is a NUL.
private struct Filling {
    enum Language {
        case json
        case graphQL
    }

    var values: ArraySlice<String>

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let newline = UInt8(ascii: "\n")

    private mutating func next() -> String { values.popFirst() ?? "" }

    mutating func json(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let first = rest.popFirst() {
            switch first {
            case 0: result += Self.value(next(), in: .json).utf8
            case Self.quote:
                let content = Self.string(&rest) { _ in false }
                let isQuery = Language.isQuery(text[..<(content.startIndex - 1)])
                result += [first] + string(content, isQuery: isQuery) + (rest.popFirst().map { [$0] } ?? [])
            default: result.append(first)
            }
        }
        return result
    }

    /// What stands between the quotes of a string of JSON, which may have a text of a language in it.
    private mutating func string(_ content: ArraySlice<UInt8>, isQuery: Bool) -> [UInt8] {
        guard content.contains(0) else { return Array(content) }
        let text = [Self.quote] + Self.withoutLooseBackslashes(content) + [Self.quote]
        let inner = Array(JSONScalar.string(text, at: text.indices).utf8)
        let filled: [UInt8]
        switch Language(of: inner, isQuery: isQuery) {
        case .json: filled = json(inner)
        case .graphQL: filled = graphQL(inner)
        case nil: return plain(content)
        }
        return Array(JSONText.escaped(String(decoding: filled, as: UTF8.self)).utf8)
    }

    /// What stands between the quotes of a string that is only text.
    private mutating func plain(_ content: ArraySlice<UInt8>) -> [UInt8] {
        Self.withoutLooseBackslashes(content).flatMap { $0 == 0 ? Array(JSONText.escaped(next()).utf8) : [$0] }
    }

    /// A GraphQL document (October 2021), whose strings have the escapes of JSON, except for block strings.
    private mutating func graphQL(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let first = rest.first {
            if rest.starts(with: Self.blockQuote) {
                result += block(&rest)
            } else if first == Self.quote {
                rest.removeFirst()
                // No string goes on in the next line.
                let content = Self.string(&rest) { $0 == Self.newline }
                result += [first] + plain(content) + (rest.popFirst().map { [$0] } ?? [])
            } else {
                // A quotation mark in a comment opens no string.
                let end = first == UInt8(ascii: "#") ? rest.firstIndex(of: Self.newline) ?? rest.endIndex : rest.startIndex + 1
                for byte in rest[..<end] { result += byte == 0 ? Array(Self.value(next(), in: .graphQL).utf8) : [byte] }
                rest = rest[end...]
            }
        }
        return result
    }
}

/// Block strings of GraphQL (section 2.9.4): in them three quotation marks have an escape, and nothing else has.
extension Filling {
    private static let blockQuote = Array("\"\"\"".utf8)
    private static let escapedBlockQuote = Array("\\\"\"\"".utf8)

    /// The block string at the beginning of `rest`, which it takes from it. With values that no block string can hold as they are, such as with
    /// lines that are indented, it becomes a string of one line that means the same.
    private mutating func block(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let all = rest
        rest = rest.dropFirst(3)
        var content: [UInt8] = []
        while !rest.isEmpty, !rest.starts(with: Self.blockQuote) {
            let isEscaped = rest.starts(with: Self.escapedBlockQuote)
            content += isEscaped ? Self.blockQuote : [rest[rest.startIndex]]
            rest = rest.dropFirst(isEscaped ? 4 : 1)
        }
        rest = rest.dropFirst(3)
        guard content.contains(0) else { return Array(all[..<rest.startIndex]) }
        let count = content.count { $0 == 0 }
        let taken = (0..<count).map { _ in next() }
        func filled(_ text: [UInt8]) -> [UInt8] {
            var values = taken[...]
            return text.flatMap { $0 == 0 ? Array((values.popFirst() ?? "").utf8) : [$0] }
        }
        let (meant, written) = (filled(Self.meaning(of: content)), filled(content))
        guard Self.meaning(of: written) == meant, written.allSatisfy({ $0 >= 0x20 || $0 == Self.newline || $0 == 0x09 }) else {
            return Array("\"\(JSONText.escaped(String(decoding: meant, as: UTF8.self)))\"".utf8)
        }
        return Self.blockQuote + Self.escapedForBlock(written) + Self.blockQuote
    }

    private static func escapedForBlock(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let first = rest.first {
            let isEscaped = rest.starts(with: blockQuote)
            result += isEscaped ? escapedBlockQuote : [first]
            rest = rest.dropFirst(isEscaped ? 3 : 1)
        }
        // The end must not become a part of the quotes behind it. A last line that is blank means nothing.
        return result + (result.last == quote || result.last == backslash ? [newline] : [])
    }

    /// What a block string with this content means: without the indentation that all lines but the first have, and without blank lines at the
    /// beginning and at the end.
    private static func meaning(of content: [UInt8]) -> [UInt8] {
        func blanks(_ line: ArraySlice<UInt8>) -> Int { line.prefix { $0 == 0x20 || $0 == 0x09 }.count }
        var lines = String(decoding: content, as: UTF8.self).replacing("\r\n", with: "\n").utf8
            .split(omittingEmptySubsequences: false) { $0 == newline || $0 == 0x0D }.map { ArraySlice($0) }
        let indent = lines.dropFirst().filter { blanks($0) < $0.count }.map(blanks).min() ?? 0
        for index in lines.indices.dropFirst() { lines[index] = lines[index].dropFirst(indent) }
        while let first = lines.first, blanks(first) == first.count { lines.removeFirst() }
        while let last = lines.last, blanks(last) == last.count { lines.removeLast() }
        return Array(lines.joined(separator: [newline]))
    }
}

extension Filling {
    /// What stands up to the quotation mark that ends a string, which is left in `rest`, or to what `ends` it before.
    private static func string(_ rest: inout ArraySlice<UInt8>, until ends: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        var index = rest.startIndex
        while index < rest.endIndex, rest[index] != quote, !ends(rest[index]) {
            // A backslash before a place is one by itself.
            let isEscape = rest[index] == backslash && index + 1 < rest.endIndex && rest[index + 1] != 0 && !ends(rest[index + 1])
            index += isEscape ? 2 : 1
        }
        defer { rest = rest[index...] }
        return rest[..<index]
    }

    /// The content of a string in which no backslash swallows the first byte of a value.
    private static func withoutLooseBackslashes(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isEscaped = false
        for byte in content {
            if byte == 0, isEscaped { result.append(backslash) }
            isEscaped = byte == backslash && !isEscaped
            result.append(byte)
        }
        if isEscaped { result.append(backslash) }
        return result
    }

    /// How `value` is written outside of strings.
    private static func value(_ value: String, in language: Language) -> String {
        isScalar(value) || language == .graphQL && isName(value) ? value : "\"\(JSONText.escaped(value))\""
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

extension Filling.Language {
    private static let operations = ["query", "mutation", "subscription", "fragment"]

    /// The language of the text that a string of JSON means, where it has one.
    ///
    /// - Parameter isQuery: whether it is the string of a member `query`.
    init?(of text: [UInt8], isQuery: Bool) {
        let start = Self.withoutBlanks(text[...])
        guard let first = start.first else { return nil }
        let second = Self.withoutBlanks(start.dropFirst()).first
        let isList = first == UInt8(ascii: "[") && (second == UInt8(ascii: "{") || second == UInt8(ascii: "["))
        let isOpen = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        if isList || isOpen && second == UInt8(ascii: "\"") {
            self = .json
        } else if isQuery, Self.isDocument(start) {
            self = .graphQL
        } else {
            return nil
        }
    }

    /// Whether the string behind `before` is that of a member `query`.
    static func isQuery(_ before: ArraySlice<UInt8>) -> Bool {
        before.reversed().drop { " \t\r\n:".utf8.contains($0) }.starts(with: "\"query\"".utf8.reversed())
    }

    /// Whether it begins as a document does. A text to search for has no braces.
    private static func isDocument(_ text: ArraySlice<UInt8>) -> Bool {
        let begins = operations.contains { text.starts(with: $0.utf8) } || "{#\",".utf8.contains(text.first ?? 0)
        return begins && text.contains(UInt8(ascii: "{"))
    }

    private static func withoutBlanks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.drop { " \t\r\n".utf8.contains($0) }
    }
}
