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
        var whole = 0
        var fraction = 0.0
        var hasFraction = false
        var unit = ""
    }

    /// Longer than any quantity that means something.
    private static let longest = 100

    /// `250ms`, `30s`, `10m`, `1h30m`, `2d`, `1.5s`; units descend and none comes twice. `0` needs no unit.
    package static func duration(_ text: String) throws(Problem) -> Duration {
        let parts = try parts(of: text)
        if parts.count == 1, parts[0].unit.isEmpty {
            guard parts[0].whole == 0, !parts[0].hasFraction else { throw text.hasPrefix("-") ? .negative : .missingUnit }
            if text.hasPrefix("-") { throw .negative }
            return .zero
        }
        var nanoseconds = 0
        var previous = Int.max
        for part in parts {
            guard let unit = durationUnits[part.unit] else { throw part.unit.isEmpty ? .missingUnit : .malformed }
            guard unit < previous else { throw .malformed }
            previous = unit
            nanoseconds = try sum(nanoseconds, part, unit)
        }
        guard !text.hasPrefix("-") else { throw .negative }
        return .nanoseconds(nanoseconds)
    }

    /// `512KB`, `64MiB`, `1.5GB`, or a plain number of bytes, of which there are no parts.
    package static func size(_ text: String) throws(Problem) -> Size {
        let parts = try parts(of: text)
        guard parts.count == 1, let unit = sizeUnits[parts[0].unit.lowercased()] else { throw .malformed }
        guard unit > 1 || !parts[0].hasFraction else { throw .malformed }
        guard !text.hasPrefix("-") else { throw .negative }
        return Size(bytes: try sum(0, parts[0], unit))
    }

    /// `0.8` or `80%`, bounds not checked.
    static func ratio(_ text: String) throws(Problem) -> Ratio {
        let isPercent = text.hasSuffix("%")
        let number = isPercent ? text.dropLast() : text[...]
        let digits = number.hasPrefix("-") ? number.dropFirst() : number
        guard text.utf8.count <= longest, digits.first?.isNumber == true, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let value = Double(number)
        else { throw .malformed }
        return Ratio(isPercent ? value / 100 : value)
    }

    private static let durationUnits = [
        "ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000,
        "h": 3_600_000_000_000, "d": 86_400_000_000_000,
    ]

    private static let sizeUnits = [
        "": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "tb": 1_000_000_000_000,
        "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]

    /// The parts of the text, a sign left out.
    private static func parts(of text: String) throws(Problem) -> [Part] {
        guard text.utf8.count <= longest else { throw .malformed }
        var parts: [Part] = []
        var rest = text.hasPrefix("-") ? text.dropFirst() : text[...]
        while !rest.isEmpty {
            var part = Part()
            let digits = rest.prefix(while: isDigit)
            guard !digits.isEmpty else { throw .malformed }
            guard let whole = Int(digits) else { throw .tooLarge }
            part.whole = whole
            rest = rest.dropFirst(digits.count)
            if rest.first == "." {
                let decimals = rest.dropFirst().prefix(while: isDigit)
                guard !decimals.isEmpty, let fraction = Double("0.\(decimals)") else { throw .malformed }
                part.fraction = fraction
                part.hasFraction = true
                rest = rest.dropFirst(1 + decimals.count)
            }
            part.unit = String(rest.prefix { !isDigit($0) && $0 != "." })
            rest = rest.dropFirst(part.unit.count)
            parts.append(part)
        }
        guard !parts.isEmpty else { throw .malformed }
        return parts
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }

    private static func sum(_ total: Int, _ part: Part, _ unit: Int) throws(Problem) -> Int {
        let (product, overflow) = part.whole.multipliedReportingOverflow(by: unit)
        let (sum, carry) = product.addingReportingOverflow(Int((part.fraction * Double(unit)).rounded()))
        let (result, excess) = sum.addingReportingOverflow(total)
        guard !overflow, !carry, !excess else { throw .tooLarge }
        return result
    }
}
