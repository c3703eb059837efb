/// Bounds of a field that can be put into words.
public protocol FieldRange<Bound>: Sendable {
    /// What is bounded.
    associatedtype Bound: FieldValue
    /// Indicates whether `value` is inside.
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

/// The values after one, or between two, these excluded.
public struct OpenRange<Bound: FieldValue & Comparable>: FieldRange {
    private let lower: Bound
    private let upper: Bound?

    /// Makes the range of values that are more than `lower` and less than `upper`.
    ///
    /// - Parameter upper: nil for no end.
    public init(after lower: Bound, before upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Indicates whether `value` is inside.
    public func contains(_ value: Bound) -> Bool { lower < value && upper.map { value < $0 } ?? true }

    /// `more than …`, or `between … and …, both excluded`
    public var bounds: FieldBounds { FieldBounds(lower: lower.written, upper: upper?.written, areExcluded: true) }
}

/// The bounds of the values of a field, as they would be written in the file.
public struct FieldBounds: Sendable, Hashable {
    /// The least value; nil without one.
    public let lower: String?
    /// The greatest value; nil without one.
    public let upper: String?
    /// Indicates whether the two bounds themselves are outside.
    public let areExcluded: Bool

    /// Bounds of which at least one is given.
    public init(lower: String?, upper: String?, areExcluded: Bool = false) {
        self.lower = lower
        self.upper = upper
        self.areExcluded = areExcluded
    }

    /// The bounds in words: `0 or more`.
    public var words: String {
        switch (lower, upper) {
        case (let lower?, let upper?): areExcluded ? "between \(lower) and \(upper), both excluded" : "\(lower) to \(upper)"
        case (let lower?, nil): areExcluded ? "more than \(lower)" : "\(lower) or more"
        case (nil, let upper?): areExcluded ? "less than \(upper)" : "at most \(upper)"
        case (nil, nil): "any value"
        }
    }
}
