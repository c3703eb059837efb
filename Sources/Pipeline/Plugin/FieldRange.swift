/// Bounds of a field that can be put into words.
public protocol FieldRange<Bound>: Sendable {
    /// What is bounded.
    associatedtype Bound: FieldValue & Comparable
    /// Whether `value` is inside.
    func contains(_ value: Bound) -> Bool
    /// The bounds in words: `0 or more`.
    var words: String { get }
}

extension PartialRangeFrom: FieldRange where Bound: FieldValue {
    /// `… or more`
    public var words: String { "\(lowerBound.written ?? "") or more" }
}

extension PartialRangeThrough: FieldRange where Bound: FieldValue {
    /// `at most …`
    public var words: String { "at most \(upperBound.written ?? "")" }
}

extension ClosedRange: FieldRange where Bound: FieldValue {
    /// `… to …`
    public var words: String { "\(lowerBound.written ?? "") to \(upperBound.written ?? "")" }
}
