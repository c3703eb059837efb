/// ``WritableSource/write(_:for:)`` throws this when a bound of the source leaves no room for the entry.
///
/// The write counts as `skipped` and not as `failed`. The source has forgotten what it held for the key, since that is no longer the value.
public struct NotKept: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why, as the end of a sentence, lower case: `larger than max_bytes (1MB)`.
    package let reason: String

    /// The entry is not kept, for `reason`.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// The same for the bounds of built-in caches.
    package init(within maxEntries: Int?, _ maxBytes: Size?) {
        self.init(maxEntries == 0 ? "max_entries is 0" : "larger than max_bytes (\(maxBytes?.spelling ?? ""))")
    }

    /// The reason.
    public var description: String { reason }
}
