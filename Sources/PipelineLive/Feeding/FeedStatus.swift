public import Pipeline

/// The state of a feed.
public struct FeedStatus: Sendable, Equatable {
    /// The state of a feed.
    ///
    /// New cases may come: switch with a `default`.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Nothing needs it, or it was not begun, such as for lack of descriptors, or the list is too long for it.
        case off
        /// The feed connects, and waits until the stream begins.
        case connecting
        /// The stream has begun; the value is loaded once more.
        case syncing
        /// The value is the server's, and changes with it.
        case live
        /// The connection is lost. It is tried again.
        case down
        /// The server refuses, and is tried again at the longest pause. It is tried again at the longest pause.
        case refused
        /// The server said that nothing more will come.
        case ended
    }

    /// The name of the change source.
    public let source: String
    /// The state of the feed.
    public var state: State
    /// The reason, for `down`, `refused`, `ended`, and for `off` if something needs it; nil otherwise.
    public var reason: String?
    /// The length of the pause before the next attempt, as it was drawn; nil if none comes.
    public var pause: Duration?
    /// The pipeline of the part that has the feed, where the value is made from others; nil for a feed of the value's own pipeline.
    public var pipeline: String?

    package init(_ source: String, _ state: State, reason: String? = nil, pause: Duration? = nil) {
        self.source = source
        self.state = state
        self.reason = reason
        self.pause = pause
    }
}

/// Something that happened at a feed.
///
/// New cases may come: switch with a `default`.
public enum FeedEvent: ChangeSourceEvent, Equatable {
    /// The feed of one key changed its state. Told when ``FeedStatus/state`` differs from `before`; ``FeedStatus/State/off`` is where each
    /// begins and ends, so that the feeds in each state can be counted.
    case state(FeedStatus, before: FeedStatus.State)
    /// The number of messages that came. They are told together, at the latest with the next event of another kind.
    case messages(Int)
    /// Messages that could not be used were skipped, the last one for this reason. The first is told at once, those that follow it together,
    /// at most once a second.
    case skipped(Int, reason: String)
    /// A new attempt to connect after a connection that ended.
    case reconnect
    /// A load that began after the stream did has landed: the value is the server's.
    case synced
    /// Changes were dropped, the last one for this reason: there was no copy to merge it into, or too many waited for a load. Told as
    /// often as ``skipped(_:reason:)``.
    case dropped(Int, reason: String)
}

extension PipelineEvent {
    /// Something happened at a feed of this change source.
    public static func feed(_ event: FeedEvent, source: String, pipeline: String) -> PipelineEvent {
        .change(event, source: source, pipeline: pipeline)
    }
}
