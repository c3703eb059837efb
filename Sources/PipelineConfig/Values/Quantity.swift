package import Pipeline

/// The spelling of durations, sizes and ratios.
package enum Quantity {
    /// Why a text is no quantity.
    package enum Problem: Error, Equatable {
        case malformed
        case negative
        case tooLarge
        case missingUnit
    }

    /// A number and the letters after it.
    private struct Part {
        let whole: Int
        let fraction: Double
        let hasFraction: Bool
        let unit: ArraySlice<UInt8>
    }

    /// Longer than any quantity that means something.
    private static let longest = 100

    /// `250ms`, `30s`, `10m`, `1h30m`, `2d`, `1.5s`; units descend and none comes twice. `0` needs no unit.
    package static func duration(_ text: String) throws(Problem) -> Duration {
        var (rest, isNegative) = try unsigned(text)
        var nanoseconds = 0
        var previous = Int.max
        repeat {
            let part = try part(from: &rest)
            if part.unit.isEmpty, rest.isEmpty, previous == .max {
                guard part.whole == 0, !part.hasFraction else { throw isNegative ? .negative : .missingUnit }
                break
            }
            guard let unit = durationUnit(part.unit) else { throw part.unit.isEmpty ? .missingUnit : .malformed }
            guard unit < previous else { throw .malformed }
            previous = unit
            nanoseconds = try sum(nanoseconds, part, unit)
        } while !rest.isEmpty
        guard !isNegative else { throw .negative }
        return .nanoseconds(nanoseconds)
    }

    /// `512KB`, `64MiB`, `1.5GB`, or a plain number of bytes, of which there are no parts.
    package static func size(_ text: String) throws(Problem) -> Size {
        var (rest, isNegative) = try unsigned(text)
        let part = try part(from: &rest)
        guard rest.isEmpty, let unit = sizeUnits[String(decoding: part.unit, as: UTF8.self).lowercased()] else { throw .malformed }
        guard unit > 1 || !part.hasFraction else { throw .malformed }
        guard !isNegative else { throw .negative }
        return Size(bytes: try sum(0, part, unit))
    }

    /// `0.8` or `80%`, bounds not checked.
    package static func ratio(_ text: String) throws(Problem) -> Ratio {
        let isPercent = text.utf8.last == UInt8(ascii: "%")
        let number = isPercent ? String(Substring(text.utf8.dropLast())) : text
        let (digits, _) = try unsigned(number)
        let first = digits.first == UInt8(ascii: ".") ? digits.dropFirst().first : digits.first
        guard first.map(isDigit) == true, digits.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
            let value = Double(number)
        else { throw .malformed }
        return Ratio(isPercent ? value / 100 : value)
    }

    private static func durationUnit(_ name: ArraySlice<UInt8>) -> Int? {
        switch (name.count, name.first) {
        case (1, UInt8(ascii: "s")): 1_000_000_000
        case (1, UInt8(ascii: "m")): 60_000_000_000
        case (1, UInt8(ascii: "h")): 3_600_000_000_000
        case (1, UInt8(ascii: "d")): 86_400_000_000_000
        default:
            switch String(decoding: name, as: UTF8.self) {
            case "ms": 1_000_000
            case "us", "µs": 1_000
            case "ns": 1
            default: nil
            }
        }
    }

    private static let sizeUnits = [
        "": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "tb": 1_000_000_000_000,
        "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]

    /// The bytes without a minus, and whether there was one.
    private static func unsigned(_ text: String) throws(Problem) -> (rest: ArraySlice<UInt8>, isNegative: Bool) {
        guard text.utf8.count <= longest else { throw .malformed }
        let all = Array(text.utf8)
        let isNegative = all.first == UInt8(ascii: "-")
        return (isNegative ? all.dropFirst() : all[...], isNegative)
    }

    /// The next part, taken off `rest`.
    private static func part(from rest: inout ArraySlice<UInt8>) throws(Problem) -> Part {
        let digits = rest.prefix(while: isDigit)
        guard !digits.isEmpty else { throw .malformed }
        let whole = try number(digits)
        rest = rest[digits.endIndex...]
        var fraction: Double?
        if rest.first == UInt8(ascii: ".") {
            let decimals = rest.dropFirst().prefix(while: isDigit)
            fraction = decimals.isEmpty ? nil : Double("0." + String(decoding: decimals, as: UTF8.self))
            guard fraction != nil else { throw .malformed }
            rest = rest[decimals.endIndex...]
        }
        let unit = rest.prefix { !isDigit($0) && $0 != UInt8(ascii: ".") }
        rest = rest[unit.endIndex...]
        return Part(whole: whole, fraction: fraction ?? 0, hasFraction: fraction != nil, unit: unit)
    }

    private static func number(_ digits: ArraySlice<UInt8>) throws(Problem) -> Int {
        var number = 0
        for digit in digits {
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { throw .tooLarge }
            number = sum
        }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func sum(_ total: Int, _ part: Part, _ unit: Int) throws(Problem) -> Int {
        let (product, overflow) = part.whole.multipliedReportingOverflow(by: unit)
        let (sum, carry) = product.addingReportingOverflow(Int((part.fraction * Double(unit)).rounded()))
        let (result, excess) = sum.addingReportingOverflow(total)
        guard !overflow, !carry, !excess else { throw .tooLarge }
        return result
    }
}
