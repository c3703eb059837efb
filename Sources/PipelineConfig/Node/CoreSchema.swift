/// The rules by which plain scalars are read: the core schema of YAML 1.2.2 (section 10.3.2), and the words people write for a bool.
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

    /// The words that ``coreBool(_:)`` knows.
    static let coreBoolWords = ["true", "True", "TRUE", "false", "False", "FALSE"]

    /// The words that people also write for a bool, those for `true` first. To the core schema they are strings.
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

/// What a scalar without quotes is: the core schema of YAML 1.2.2 (section 10.3.2), numbers in the form that JSON has for them.
enum PlainScalar: Equatable {
    case null
    case bool(Bool)
    /// A number as JSON writes it; one that is JSON already stays digit for digit as it is.
    case number(String)
    case text
    /// `.inf`, `.nan`, and numbers of other bases that no integer holds.
    case notInJSON

    init(_ text: String) {
        if CoreSchema.isNull(text) {
            self = .null
        } else if let value = CoreSchema.coreBool(text) {
            self = .bool(value)
        } else if let number = Self.decimal(text) {
            self = .number(number)
        } else if text.hasPrefix("0x") || text.hasPrefix("0o"), CoreSchema.isInteger(text) {
            self = CoreSchema.int(text).map { .number("\($0)") } ?? .notInJSON
        } else {
            self = Self.isSpecial(text) ? .notInJSON : .text
        }
    }

    private static func isSpecial(_ text: String) -> Bool {
        if [".nan", ".NaN", ".NAN"].contains(text) { return true }
        let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        return [".inf", ".Inf", ".INF"].contains(unsigned)
    }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, without the plus, needless zeros and a bare point.
    private static func decimal(_ text: String) -> String? {
        var rest = text.utf8[...]
        func digits() -> String {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest = rest.dropFirst(digits.count)
            return String(Substring(digits))
        }
        func take(_ characters: String) -> String? {
            guard let first = rest.first, characters.utf8.contains(first) else { return nil }
            rest = rest.dropFirst()
            return String(UnicodeScalar(first))
        }
        let sign = take("-+") == "-" ? "-" : ""
        let whole = digits()
        let point = take(".")
        let fraction = point == nil ? "" : digits()
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        var exponent = ""
        if let mark = take("eE") {
            let exponentSign = take("-+") ?? ""
            let value = digits()
            guard !value.isEmpty else { return nil }
            exponent = mark + exponentSign + value
        }
        guard rest.isEmpty else { return nil }
        let significant = whole.drop { $0 == "0" }
        return sign + (significant.isEmpty ? "0" : significant) + (fraction.isEmpty ? "" : "." + fraction) + exponent
    }
}
