extension Duration {
    /// The number of nanoseconds of this duration, at most `Int64.max` and at least `Int64.min`.
    package var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return product.addingSaturated(attoseconds / 1_000_000_000)
    }

    /// The shorter of two limits; nil without any.
    package static func shorter(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// This duration in milliseconds, fractions kept.
    package var milliseconds: Double {
        Double(saturatedNanoseconds) / 1_000_000
    }
}

extension Int64 {
    /// The sum, or the number of that sign that is the furthest from 0.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the number of that sign that is the furthest from 0.
    package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

extension Duration {
    /// The shortest spelling, as a file has it: `1h30m`.
    package var spelling: String {
        let units: [(String, Int64)] = [
            ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
            ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
        ]
        var rest = saturatedNanoseconds
        if rest <= 0 { return "0s" }
        var text = ""
        for (unit, length) in units where rest >= length {
            text += "\(rest / length)\(unit)"
            rest %= length
        }
        return text
    }

    /// The duration rounded up to seconds, or to milliseconds below one second, as ``spelling`` has it: what is left of a wait is never
    /// said to be less.
    package var roundedUp: String {
        let unit: Int64 = self < .seconds(1) ? 1_000_000 : 1_000_000_000
        let missing = (unit - saturatedNanoseconds % unit) % unit
        return Duration.nanoseconds(saturatedNanoseconds.addingSaturated(missing)).spelling
    }
}
