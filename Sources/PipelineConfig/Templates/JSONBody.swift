package import Pipeline
internal import PipelineJSON

/// Fills a JSON text (RFC 8259). Inside a string a value becomes a part of it; elsewhere it is a value of its own:
/// a number, `true`, `false` or `null` as it is, anything else as a string.
package enum JSONBody {
    /// The text for `key`.
    package static func fill(_ template: TextTemplate, for key: Key) -> [UInt8] {
        var values: [String] = []
        // NUL cannot stand in JSON, so that it marks the places.
        let text = template.filled(for: key) {
            values.append($0)
            return "\0"
        }
        var rest = values[...]
        var result: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in text.utf8 {
            guard byte != 0 else {
                // A backslash before the place must not swallow the first byte of the value.
                if isEscaped { result.append(UInt8(ascii: "\\")) }
                isEscaped = false
                let value = rest.popFirst() ?? ""
                result += isInString ? escaped(value) : isScalar(value) ? Array(value.utf8) : quoted(value)
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
            result.append(byte)
        }
        return result
    }

    private static func quoted(_ value: String) -> [UInt8] {
        [UInt8(ascii: "\"")] + escaped(value) + [UInt8(ascii: "\"")]
    }

    private static func escaped(_ value: String) -> [UInt8] {
        Array(JSONText.escaped(value).utf8)
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
