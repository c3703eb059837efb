/// A JSON text (RFC 8259), members in the order in which they are given.
package enum JSONText: Sendable {
    case null
    case bool(Bool)
    /// A number as it is written.
    case number(String)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])
    /// Text that is JSON already.
    case json(String)
}

extension JSONText {
    package static func int(_ value: Int) -> JSONText { .number("\(value)") }

    /// Milliseconds to the microsecond, without a needless fraction.
    package static func milliseconds(_ value: Double) -> JSONText {
        let rounded = (value * 1000).rounded() / 1000
        return .number(rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)")
    }

    package static func optional(_ value: String?) -> JSONText { value.map { .string($0) } ?? .null }

    /// An array with each element on a line of its own, for people who compare two outputs.
    package static func lines(_ elements: [JSONText]) -> JSONText {
        .json(elements.isEmpty ? "[]" : "[\n" + elements.map(\.text).joined(separator: ",\n") + "\n]")
    }

    /// Text that is JSON already.
    package static func raw(_ bytes: [UInt8]) -> JSONText { .json(String(decoding: bytes, as: UTF8.self)) }
}

extension JSONText {
    /// `value` as it stands between the quotes of a JSON string. What a terminal or JavaScript would obey is escaped, too.
    package static func escaped(_ value: String) -> String {
        // Most texts have nothing to escape. U+2028 and U+2029 begin with 0xE2.
        if !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F || $0 == 0xE2 }) { return value }
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text on one line, without spaces.
    package var text: String {
        switch self {
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { Self.quoted($0) + ":" + $1.text }.joined(separator: ",") + "}"
        default: scalarText
        }
    }

    /// The text on many lines, for people: two spaces for each level; a list of scalars stays on one line.
    package var indentedText: String { indented(by: "") }

    private func indented(by indent: String) -> String {
        switch self {
        case .array(let elements) where !elements.allSatisfy(\.isScalar):
            let lines = elements.map { indent + "  " + $0.indented(by: indent + "  ") }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + indent + "]"
        case .array(let elements):
            return "[" + elements.map(\.text).joined(separator: ", ") + "]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { indent + "  " + Self.quoted($0) + ": " + $1.indented(by: indent + "  ") }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
        case .object: return "{}"
        default: return scalarText
        }
    }

    private var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    private var scalarText: String {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .number(let text), .json(let text): text
        case .string(let value): Self.quoted(value)
        case .null, .array, .object: "null"
        }
    }

    private static func quoted(_ value: String) -> String { "\"" + escaped(value) + "\"" }
}
