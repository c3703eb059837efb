internal import Pipeline

/// Reads the text of a key back.
enum KeyText {
    /// The key whose text is `text`, or nil when there is none.
    static func key(of text: String) -> Key? {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)[...]
        guard let first = parts.popFirst(), let pipeline = percentDecoded(first) else { return nil }
        var parameters: [Parameter] = []
        for part in parts {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = percentDecoded(sides[0]), let value = percentDecoded(sides[1]) else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        let key = Key(pipeline: pipeline, parameters: parameters)
        return key.text == text ? key : nil
    }

    /// Whether `text` is that of a key of `pipeline`.
    static func isKey(_ text: String, of pipeline: String) -> Bool {
        text.prefix { $0 != "," } == Key(pipeline: pipeline).text
    }

    /// The text with each `%` and its two digits replaced by the byte they stand for; nil when that is not possible.
    static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
