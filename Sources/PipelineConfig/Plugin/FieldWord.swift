/// The form of a scalar that is neither a quantity nor a choice among known words.
public struct FieldWord: Sendable, Hashable {
    /// What it is called in the documentation: `status`.
    public let name: String
    /// What its whole text matches: a regular expression of ECMA-262, with `^` and `$`.
    public let pattern: String
    /// The numbers that are of the form when they are written without quotes; nil when none is.
    public let numbers: ClosedRange<Int>?
    /// Whether `true` and `false` are of the form.
    public let allowsBools: Bool
    /// Whether every number is of the form.
    public let allowsNumbers: Bool
    /// Whether a list has each word but once.
    public let isUnique: Bool

    /// A form of the texts that match `pattern`.
    public init(
        _ name: String, matching pattern: String, numbers: ClosedRange<Int>? = nil, allowsBools: Bool = false, allowsNumbers: Bool = false,
        isUnique: Bool = false
    ) {
        self.name = name
        self.pattern = pattern
        self.numbers = numbers
        self.allowsBools = allowsBools
        self.allowsNumbers = allowsNumbers
        self.isUnique = isUnique
    }
}
