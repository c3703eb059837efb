/// Bounds of a field that can be put into words.
public protocol FieldRange<Bound>: Sendable {
    /// What is bounded.
    associatedtype Bound: FieldValue
    /// Whether `value` is inside.
    func contains(_ value: Bound) -> Bool
    /// The bounds as they would be written.
    var bounds: FieldBounds { get }
}

extension PartialRangeFrom: FieldRange where Bound: FieldValue {
    /// `… or more`
    public var bounds: FieldBounds { FieldBounds(lower: lowerBound.written, upper: nil) }
}

extension PartialRangeThrough: FieldRange where Bound: FieldValue {
    /// `at most …`
    public var bounds: FieldBounds { FieldBounds(lower: nil, upper: upperBound.written) }
}

extension ClosedRange: FieldRange where Bound: FieldValue {
    /// `… to …`
    public var bounds: FieldBounds { FieldBounds(lower: lowerBound.written, upper: upperBound.written) }
}
