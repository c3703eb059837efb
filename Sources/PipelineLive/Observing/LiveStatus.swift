public import Pipeline
import Synchronization

/// The status of a value: what is known beside the value.
public struct LiveStatus: Sendable, Equatable {
    /// There is no value, and a load runs.
    public var isLoading = false
    /// There is a value, and a load runs.
    public var isRefreshing = false
    /// The value expired.
    public var isStale = false
    /// The reason why the last load failed; nil after one that did not.
    public var error: LoadError?
    /// The feeds of the key, in the order of the file; then those of the parts that the value is made from. Where several keys of a part's
    /// pipeline are fed by one change source, it stands there once, with the state that is furthest from `live`.
    public var feeds: [FeedStatus] = []
    /// Indicates whether nothing is lacking in the value because a part failed: `Outcome.isComplete`.
    public var isComplete: Bool { detail?.isComplete ?? true }
    /// The detail of the answer; nil if there is none to tell.
    package var detail: (any ReplyDetail)?
    /// The source that the value was read from, as `Outcome.source`. The same value in another source is no other status.
    public var source: String?

    package init() {}

    /// Errors and parts are compared by what they say.
    public static func == (left: LiveStatus, right: LiveStatus) -> Bool {
        left.isLoading == right.isLoading && left.isRefreshing == right.isRefreshing && left.isStale == right.isStale
            && left.error?.description == right.error?.description && left.feeds == right.feeds
            && left.lacksSame(as: right)
    }

    /// Indicates whether the same is lacking, or was not found. When that was, and after what attempts, does not count.
    package func lacksSame(as other: LiveStatus) -> Bool {
        detail?.saysSame(as: other.detail) ?? other.detail?.saysSame(as: nil) ?? true
    }
}

/// Knows what copies were made from, if a module above does.
package final class CopyDetails: Sendable {
    private let read = Mutex<(@Sendable (Entry) -> (any ReplyDetail)?)?>(nil)

    /// Asks `detail` from now on.
    package func use(_ detail: @escaping @Sendable (Entry) -> (any ReplyDetail)?) { read.withLock { $0 = detail } }

    /// The detail of a copy; nil if there is none to tell.
    func detail(of copy: Entry) -> (any ReplyDetail)? { read.withLock { $0 }?(copy) }
}

extension Commons {
    /// Knows what copies were made from.
    package var copies: CopyDetails { member { CopyDetails() } }
}
