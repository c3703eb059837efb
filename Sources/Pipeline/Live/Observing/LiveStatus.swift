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
    /// The feeds of the key, in the order of the file.
    public var feeds: [FeedStatus] = []

    package init() {}

    /// Errors are compared by what they say.
    public static func == (left: LiveStatus, right: LiveStatus) -> Bool {
        left.isLoading == right.isLoading && left.isRefreshing == right.isRefreshing && left.isStale == right.isStale
            && left.error?.description == right.error?.description && left.feeds == right.feeds
    }
}
