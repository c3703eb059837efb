/// Writes JSON text, members in the order in which they are given.
struct JSONText {
    private(set) var text: String

    private init(_ text: String) {
        self.text = text
    }

    static let null = JSONText("null")

    static func bool(_ value: Bool) -> JSONText { JSONText(value ? "true" : "false") }
    static func int(_ value: Int) -> JSONText { JSONText("\(value)") }

    /// Milliseconds to the microsecond, without a needless fraction.
    static func milliseconds(_ value: Double) -> JSONText {
        let rounded = (value * 1000).rounded() / 1000
        return JSONText(rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)")
    }

    static func string(_ value: String) -> JSONText {
        var text = "\""
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
        return JSONText(text + "\"")
    }

    static func optional(_ value: String?) -> JSONText { value.map(string) ?? .null }

    /// Text that is JSON already.
    static func raw(_ bytes: [UInt8]) -> JSONText { JSONText(String(decoding: bytes, as: UTF8.self)) }

    static func array(_ elements: [JSONText]) -> JSONText {
        JSONText("[" + elements.map(\.text).joined(separator: ",") + "]")
    }

    /// An array with each element on a line of its own, for people who compare two outputs.
    static func lines(_ elements: [JSONText]) -> JSONText {
        JSONText(elements.isEmpty ? "[]" : "[\n" + elements.map(\.text).joined(separator: ",\n") + "\n]")
    }

    static func object(_ members: [(String, JSONText)]) -> JSONText {
        JSONText("{" + members.map { string($0.0).text + ":" + $0.1.text }.joined(separator: ",") + "}")
    }
}
