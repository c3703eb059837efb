extension Duration {
    /// The whole nanoseconds of this duration, at most `Int64.max` and at least `Int64.min`.
    package var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return product.addingSaturated(attoseconds / 1_000_000_000)
    }

    /// The shorter of two limits; nil without any.
    static func shorter(_ one: Duration?, _ other: Duration?) -> Duration? {
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
