/// What ``WritableSource/write(_:for:)`` throws when the source is not to keep the entry, since a bound of its own leaves no room for it.
///
/// The write counts as `skipped` and not as `failed`. The source has forgotten what it held for the key: it is not the value any more.
public struct NotKept: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why, as the end of a sentence, lower case: `larger than max_bytes (1MB)`.
    public let reason: String

    /// Nothing is kept of the entry, for `reason`.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// The same for the bounds that built-in caches have.
    package init(within maxEntries: Int?, _ maxBytes: Size?) {
        self.init(maxEntries == 0 ? "max_entries is 0" : "larger than max_bytes (\(maxBytes?.spelling ?? ""))")
    }

    /// The reason.
    public var description: String { reason }
}
