/// What lies between two values, these excluded.
public struct OpenRange<Bound: FieldValue & Comparable>: FieldRange {
    private let lower: Bound
    private let upper: Bound

    /// What is more than `lower` and less than `upper`.
    public init(after lower: Bound, before upper: Bound) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether `value` is inside.
    public func contains(_ value: Bound) -> Bool { lower < value && value < upper }

    /// `between … and …, both excluded`
    public var bounds: FieldBounds { FieldBounds(lower: lower.written, upper: upper.written, areExcluded: true) }
}
