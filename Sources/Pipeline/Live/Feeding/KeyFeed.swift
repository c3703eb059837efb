/// A feed of one key.
struct KeyFeed: Sendable {
    /// The feed; nil where it has none, as for a channel that cannot be named.
    var feed: Feed?
    /// What observers see of it.
    var status: FeedStatus
    /// The phase of the connection that was reported last.
    var phase: UInt64 = 0
    /// While it syncs: a load with a later number must land.
    var awaited: UInt64?
    /// Whether a load that it asked for has not landed, also where the connection was lost meanwhile.
    var owesLoad = false
    /// Whether the value was once that of the server.
    var hasBeenLive = false
    /// Whether it is off because its changes cannot be merged into the value.
    var hasNoList = false
    let spec: FeedSpec
    /// Whether, while it is live, copies count as confirmed at the last sign of life.
    var confirms: Bool { spec.confirms }

    init(_ spec: FeedSpec) {
        status = FeedStatus(spec.name, .off)
        self.spec = spec
    }

    /// Enters a state; returns the event to report.
    mutating func enter(_ state: FeedStatus.State, reason: String? = nil, pause: Duration? = nil) -> [FeedEvent] {
        let before = status.state
        status = FeedStatus(status.source, state, reason: reason, pause: pause)
        hasNoList = false
        return state == before ? [] : [.state(status, before: before)]
    }
}
