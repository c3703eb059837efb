package import Pipeline

/// The spelling of durations, sizes and ratios.
package enum Quantity {
    /// The reason why a text is no quantity.
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

/// A part of a whole, written `0.8` or `80%`.
public struct Ratio: Sendable, Hashable, Comparable {
    /// The part, from 0 to 1.
    public let value: Double

    /// The part `value` of 1.
    public init(_ value: Double) {
        self.value = value
    }

    /// Indicates whether `left` is the smaller part.
    public static func < (left: Ratio, right: Ratio) -> Bool { left.value < right.value }
}

extension Double {
    /// A part of 1 as messages say it: `20%`, `2.5%`.
    package var percent: String { "\(Ratio((self * 1_000).rounded() / 10).written ?? "")%" }
}

/// The quantity that was meant by another spelling: `7d` for `1 week`.
enum MeantQuantity {
    private static let longest = 40

    private static let durationUnits: [(unit: String, length: Int, words: Set<String>)] = [
        ("ns", 1, ["ns", "nanosecond", "nanoseconds"]), ("us", 1, ["us", "µs", "microsecond", "microseconds"]),
        ("ms", 1, ["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"]), ("s", 1, ["s", "sec", "secs", "second", "seconds"]),
        ("m", 1, ["m", "min", "mins", "minute", "minutes"]), ("h", 1, ["h", "hr", "hrs", "hour", "hours"]), ("d", 1, ["d", "day", "days"]),
        ("d", 7, ["w", "wk", "wks", "week", "weeks"]), ("d", 30, ["mo", "mon", "month", "months"]),
        ("d", 365, ["y", "yr", "yrs", "year", "years"]),
    ]

    private static let sizeUnits: [(unit: String, words: Set<String>)] = [
        ("B", ["byte", "bytes"]), ("KB", ["k", "kb", "kilobyte", "kilobytes"]), ("MB", ["m", "mb", "megabyte", "megabytes"]),
        ("GB", ["g", "gb", "gigabyte", "gigabytes"]), ("TB", ["t", "tb", "terabyte", "terabytes"]), ("KiB", ["ki", "kib"]),
        ("MiB", ["mi", "mib"]), ("GiB", ["gi", "gib"]), ("TiB", ["ti", "tib"]),
    ]

    /// The duration that `text` means; nil when it is unclear.
    static func duration(_ text: String) -> String? {
        if let clock = clockTime(text) ?? isoDuration(text) { return clock }
        guard let parts = parts(of: text) else { return nil }
        var written: [(rank: Int, text: String)] = []
        for part in parts {
            guard let rank = durationUnits.firstIndex(where: { $0.words.contains(part.unit) }) else { return nil }
            let (unit, length, _) = durationUnits[rank]
            if length == 1 {
                written.append((rank, part.number + unit))
            } else {
                guard let number = Int(part.number), number < 1_000 else { return nil }
                written.append((rank, "\(number * length)\(unit)"))
            }
        }
        // `30m1h`
        let result = written.sorted { $0.rank > $1.rank }.map(\.text).joined()
        return (try? Quantity.duration(result)) == nil ? nil : result
    }

    /// `5m` for `00:05:00`, or for `5:00` when minutes and seconds are all there is.
    private static func clockTime(_ text: String) -> String? {
        let parts = text.utf8.count <= longest ? text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) } : []
        let numbers = parts.compactMap(\.self)
        guard parts.count == 3, numbers.count == 3, numbers.allSatisfy({ 0..<100 ~= $0 }) else { return nil }
        let written = zip(numbers, ["h", "m", "s"]).filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        return written.isEmpty ? nil : written
    }

    /// `5m` for `PT5M` (ISO 8601).
    private static func isoDuration(_ text: String) -> String? {
        guard text.utf8.count <= longest, text.hasPrefix("P") else { return nil }
        let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let days = halves.first, days.isEmpty || days.last == "D", !days.contains(where: { "MYW".contains($0) }) else { return nil }
        let result = (days + (halves.count > 1 ? halves[1] : "")).lowercased()
        return (try? Quantity.duration(result)) == nil ? nil : result
    }

    /// The whole number that `text` means, as 5000 for `5k`; nil when it is unclear.
    static func integer(_ text: String) -> String? {
        let text = text.filter { !"_,' ".contains($0) }.lowercased()
        if let number = CoreSchema.int(text) { return "\(number)" }
        guard let parts = parts(of: text), parts.count == 1, let number = Double(parts[0].number) else { return nil }
        let unit = ["k": 1e3, "thousand": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6][parts[0].unit]
        return unit.flatMap { Int(exactly: number * $0) }.map { "\($0)" }
    }

    /// The size that `text` means; nil when it is unclear.
    static func size(_ text: String) -> String? {
        if let bytes = CoreSchema.int(text.filter { $0 != "_" }), text.contains("_") { return "\(bytes)" }
        let text = text.contains(".") ? text : String(text.map { $0 == "," ? "." : $0 })
        guard let parts = parts(of: text), parts.count == 1, let part = parts.first,
            let (unit, _) = sizeUnits.first(where: { $0.words.contains(part.unit) })
        else { return nil }
        let result = part.number + unit
        return (try? Quantity.size(result)) == nil ? nil : result
    }

    /// The ratio that `text` means; nil when it is unclear.
    static func ratio(_ text: String) -> String? {
        guard text.utf8.count <= longest else { return nil }
        let result = String(text.filter { !$0.isWhitespace }.map { $0 == "," ? "." : $0 })
        return result == text || (try? Quantity.ratio(result)) == nil ? nil : result
    }

    /// Numbers, each with the word after it, in lower case.
    private static func parts(of text: String) -> [(number: String, unit: String)]? {
        guard text.utf8.count <= longest else { return nil }
        var rest = text.lowercased().filter { !$0.isWhitespace }[...]
        var parts: [(number: String, unit: String)] = []
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard !number.isEmpty, !unit.isEmpty else { return nil }
            parts.append((String(number), String(unit)))
        }
        return parts.isEmpty ? nil : parts
    }
}
