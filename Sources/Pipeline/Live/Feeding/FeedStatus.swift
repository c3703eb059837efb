/// The state of a feed.
public struct FeedStatus: Sendable, Equatable {
    /// Where it stands.
    ///
    /// New cases may come: switch with a `default`.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Nothing needs it, or it was not begun, such as for lack of descriptors, or the list is too long for it.
        case off
        /// It connects, and waits until the stream begins.
        case connecting
        /// The stream has begun; the value is loaded once more.
        case syncing
        /// The value is that of the server, and changes with it.
        case live
        /// The connection is lost. It is tried again.
        case down
        /// The server refuses. It is tried again at the longest pause.
        case refused
        /// The server said that nothing more will come.
        case ended
    }

    /// The name of the change source.
    public let source: String
    /// Where it stands.
    public var state: State
    /// Why, for `down`, `refused`, `ended`, and for `off` where something needs it; nil otherwise.
    public var reason: String?
    /// How long the pause before the next attempt is, as it was drawn; nil when none comes.
    public var pause: Duration?
    /// The pipeline of the part that has the feed, where the value is made from others; nil for a feed of the value's own pipeline.
    package var pipeline: String?

    package init(_ source: String, _ state: State, reason: String? = nil, pause: Duration? = nil) {
        self.source = source
        self.state = state
        self.reason = reason
        self.pause = pause
    }
}
