/// The exact decimal value of a number, of any length: `1`, `1e0` and `1.0` are equal, 2⁵³ and 2⁵³ + 1 differ.
///
/// An exponent costs nothing, whatever it is. Those beyond ±10¹⁸ count as that.
package struct JSONNumber: Sendable, Hashable {
    /// The value of a number; every integer that fits is `small`, so that equal values are equal here.
    private enum Value: Sendable, Hashable {
        case small(Int64)
        indirect case long(Decimal)
    }

    /// 0.DIGITS × 10ᵉ; digits in ASCII without zeros at either end.
    private struct Decimal: Sendable, Hashable {
        var isNegative: Bool
        var digits: [UInt8]
        var exponent: Int
    }

    private let value: Value

    /// The number that `bytes` spell as JSON does.
    package init(_ bytes: ArraySlice<UInt8>) {
        value = Self.short(bytes) ?? Self.value(Self.decimal(bytes))
    }

    /// The number that `text` spells as JSON does; nil for any other text.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first,
            let last = bytes.last, UInt8(ascii: "0")...UInt8(ascii: "9") ~= last, JSONScanner.problem(of: bytes) == nil
        else { return nil }
        self.init(bytes[...])
    }

    /// The number as an integer; nil if it has a fraction or is too large.
    package var integer: Int64? {
        if case .small(let integer) = value { integer } else { nil }
    }

    /// The number of bytes its digits take.
    package var size: Int {
        switch value {
        case .small: 8
        case .long(let decimal): decimal.digits.count
        }
    }

    /// An integer of few digits, the usual case.
    private static func short(_ bytes: ArraySlice<UInt8>) -> Value? {
        guard bytes.count <= 18 else { return nil }
        var integer: Int64 = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        for byte in isNegative ? bytes.dropFirst() : bytes {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            integer = integer * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return .small(isNegative ? -integer : integer)
    }

    private static func decimal(_ bytes: ArraySlice<UInt8>) -> Decimal {
        var digits: [UInt8] = []
        var exponent = 0
        var isFraction = false
        var rest = bytes
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        scan: while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent += Self.exponent(rest)
                break scan
            case UInt8(ascii: "0") where digits.isEmpty: if isFraction { exponent -= 1 }
            default:
                digits.append(byte)
                if !isFraction { exponent += 1 }
            }
        }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return Decimal(isNegative: isNegative, digits: digits, exponent: exponent)
    }

    private static func exponent(_ digits: ArraySlice<UInt8>) -> Int {
        let largest = 1_000_000_000_000_000_000
        var exponent = 0
        for byte in digits where UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
            exponent = exponent >= largest / 10 ? largest : exponent * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return digits.first == UInt8(ascii: "-") ? -exponent : exponent
    }

    private static func value(_ decimal: Decimal) -> Value {
        if decimal.digits.isEmpty { return .small(0) }
        guard decimal.exponent >= decimal.digits.count, decimal.exponent <= 19,
            let integer = Int64(plain(decimal))
        else { return .long(decimal) }
        return .small(integer)
    }

    private static func plain(_ decimal: Decimal) -> String {
        let digits = String(decoding: decimal.digits, as: UTF8.self)
        let sign = decimal.isNegative ? "-" : ""
        let (count, exponent) = (decimal.digits.count, decimal.exponent)
        if exponent <= 0 { return sign + "0." + String(repeating: "0", count: -exponent) + digits }
        if exponent >= count { return sign + digits + String(repeating: "0", count: exponent - count) }
        return sign + digits.prefix(exponent) + "." + digits.dropFirst(exponent)
    }

    private var decimal: Decimal {
        switch value {
        case .small(let integer): Self.decimal(Array("\(integer)".utf8)[...])
        case .long(let decimal): decimal
        }
    }
}

extension JSONNumber: Comparable {
    package static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        if case (.small(let left), .small(let right)) = (left.value, right.value) { return left < right }
        let (left, right) = (left.decimal, right.decimal)
        // Zero has no digits and is above what is negative, below all else.
        if left.digits.isEmpty { return !right.isNegative && !right.digits.isEmpty }
        if right.digits.isEmpty { return left.isNegative }
        if left.isNegative != right.isNegative { return left.isNegative }
        let (small, large) = left.isNegative ? (right, left) : (left, right)
        if small.exponent != large.exponent { return small.exponent < large.exponent }
        return small.digits.lexicographicallyPrecedes(large.digits)
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The value in digits, without an exponent: `100` for `1e2`. With one where the digits would need more than 400 zeros.
    package var description: String {
        switch value {
        case .small(let integer): return "\(integer)"
        case .long(let decimal):
            let zeros = max(-decimal.exponent, decimal.exponent - decimal.digits.count)
            if zeros <= 400 { return Self.plain(decimal) }
            let digits = String(decoding: decimal.digits, as: UTF8.self)
            return "\(decimal.isNegative ? "-" : "")\(digits)e\(decimal.exponent - decimal.digits.count)"
        }
    }
}
