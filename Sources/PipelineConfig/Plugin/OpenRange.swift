/// What lies after a value, or between two, these excluded.
public struct OpenRange<Bound: FieldValue & Comparable>: FieldRange {
    private let lower: Bound
    private let upper: Bound?

    /// What is more than `lower` and less than `upper`.
    ///
    /// - Parameter upper: nil for no end.
    public init(after lower: Bound, before upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether `value` is inside.
    public func contains(_ value: Bound) -> Bool { lower < value && upper.map { value < $0 } ?? true }

    /// `more than …`, or `between … and …, both excluded`
    public var bounds: FieldBounds { FieldBounds(lower: lower.written, upper: upper?.written, areExcluded: true) }
}
