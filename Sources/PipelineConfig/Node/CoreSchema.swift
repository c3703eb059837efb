/// How plain scalars are read: the core schema of YAML 1.2.2 (section 10.3.2), and the words people write for a bool.
package enum CoreSchema {
    package static func isNull(_ text: String) -> Bool {
        // By the length first: this is asked of every scalar, and few are as long.
        switch text.utf8.count {
        case 0: true
        case 1: text == "~"
        case 4: text == "null" || text == "Null" || text == "NULL"
        default: false
        }
    }

    package static func bool(_ text: String) -> Bool? {
        if let value = coreBool(text) { return value }
        guard let index = boolWords.firstIndex(of: text) else { return nil }
        return index < boolWords.count / 2
    }

    /// `true` and `false` as the core schema itself knows them.
    package static func coreBool(_ text: String) -> Bool? {
        switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// What people also write for a bool, those for `true` first. To the core schema these are strings.
    package static let boolWords = ["yes", "Yes", "YES", "on", "On", "ON", "no", "No", "NO", "off", "Off", "OFF"]

    /// Decimal (also with leading zeros: `0123` is 123), `0o17`, `0x1F`; nil for anything else and outside of `Int`.
    package static func int(_ text: String) -> Int? {
        if text.hasPrefix("0x") { return digits(text.dropFirst(2), radix: 16) }
        if text.hasPrefix("0o") { return digits(text.dropFirst(2), radix: 8) }
        return Int(text)
    }

    /// Whether the text has the form of an integer, also one too large for `Int`.
    static func isInteger(_ text: String) -> Bool {
        for (prefix, radix) in [("0x", 16), ("0o", 8)] where text.hasPrefix(prefix) {
            let digits = text.dropFirst(2)
            return !digits.isEmpty && digits.allSatisfy { $0.isASCII && ($0.hexDigitValue ?? radix) < radix }
        }
        let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        return !unsigned.isEmpty && unsigned.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    private static func digits(_ text: Substring, radix: Int) -> Int? {
        text.first?.isHexDigit == true ? Int(text, radix: radix) : nil
    }
}
