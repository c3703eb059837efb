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
