/// What is known about a value beside the value.
public struct LiveStatus: Sendable, Equatable {
    /// There is no value, and a load runs.
    public var isLoading = false
    /// There is a value, and a load runs.
    public var isRefreshing = false
    /// The value expired.
    public var isStale = false
    /// Why the last load failed; nil after one that did not.
    public var error: LoadError?
    /// The feeds of the key, in the order of the file; then those of the parts that the value is made from. Where several keys of a part's
    /// pipeline are fed by one change source, it stands there once, with the state that is furthest from `live`.
    public var feeds: [FeedStatus] = []
    /// Whether nothing is lacking in the value because a part failed: ``Outcome/isComplete``.
    public var isComplete = true
    /// The parts of a composite that have no value, and followed values that failed.
    public var parts: [PartOutcome] = []
    /// The targets of followed links that are not there.
    public var missing: [MissingTarget] = []
    /// The parts of a composite that failed, where something else is the answer: what the attempt of `combine` did.
    package var attempted: [PartOutcome] = []
    /// The source that the value was read from, as ``Outcome/source``. The same value in another source is no other status.
    package var source: String?

    package init() {}

    /// Errors and parts are compared by what they say.
    public static func == (left: LiveStatus, right: LiveStatus) -> Bool {
        left.isLoading == right.isLoading && left.isRefreshing == right.isRefreshing && left.isStale == right.isStale
            && left.error?.description == right.error?.description && left.feeds == right.feeds
            && left.lacksSame(as: right)
    }

    /// Whether the same is lacking, or was not found. When that was, and after what attempts, does not count.
    package func lacksSame(as other: LiveStatus) -> Bool {
        isComplete == other.isComplete && missing == other.missing && parts.elementsEqual(other.parts) { $0.saysSame(as: $1) }
    }
}
