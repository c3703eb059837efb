/// Something that happened at a feed.
///
/// New cases may come: switch with a `default`.
public enum FeedEvent: Sendable, Equatable {
    /// The feed of one key changed its state. Told when ``FeedStatus/state`` differs from `before`; ``FeedStatus/State/off`` is where each
    /// begins and ends, so that the feeds in each state can be counted.
    case state(FeedStatus, before: FeedStatus.State)
    /// So many messages came. They are told together, at the latest with the next event of another kind.
    case messages(Int)
    /// Messages that could not be used were skipped, the last one for this reason. The first is told at once, those that follow it together,
    /// at most once a second.
    case skipped(Int, reason: String)
    /// It connects again after a connection that ended.
    case reconnect
    /// A load that began after the stream did has landed: the value is that of the server.
    case synced
    /// Changes were dropped, the last one for this reason: there was no copy to merge it into, or too many waited for a load. Told as
    /// often as ``skipped(_:reason:)``.
    case dropped(Int, reason: String)
}
