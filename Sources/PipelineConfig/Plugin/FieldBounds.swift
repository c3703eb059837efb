/// What the values of a field lie between, as it would be written in the file.
public struct FieldBounds: Sendable, Hashable {
    /// The least value; nil without one.
    public let lower: String?
    /// The greatest value; nil without one.
    public let upper: String?
    /// Whether the two bounds themselves are outside.
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
