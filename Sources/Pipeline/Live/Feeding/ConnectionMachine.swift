/// The life of one connection of a change source, from attempt to attempt. Pure: the caller connects and waits.
struct ConnectionMachine: Sendable {
    private var backoff: Backoff
    private let policy: ReconnectPolicy
    /// Since when a feed is live.
    private(set) var liveSince: Timestamp?
    /// The id of the last event, for the next attempt.
    private(set) var position: String?

    init(_ policy: ReconnectPolicy) {
        self.policy = policy
        backoff = Backoff(policy)
    }

    /// A feed is live: from here on the connection counts as well.
    mutating func beLive(at now: Timestamp) {
        if liveSince == nil { liveSince = now }
    }

    /// The source reports the id of its last event.
    mutating func mark(_ position: String) {
        self.position = position.isEmpty ? nil : position
    }

    /// The server asks for other pauses.
    mutating func rebase(_ base: Duration) { backoff.rebase(base) }

    /// The connection ended: its state, and the pause before the next attempt in it; without a pause there is none.
    mutating func end(_ ending: LiveEnding, at now: Timestamp, random: inout some RandomNumberGenerator) -> (
        state: FeedStatus.State, pause: Duration?
    ) {
        let wellFor = liveSince.map { now.duration(since: $0) }
        liveSince = nil
        switch ending.kind {
        case .ended: return (.ended, nil)
        case .unasked: return (.off, policy.max)
        case .refused: return (.refused, ending.pause.map { draw($0, &random) } ?? policy.max)
        case .lost, .faulty:
            let own = backoff.pause(afterBeingWellFor: wellFor, random: &random)
            return (.down, ending.pause.map { draw($0, &random) } ?? own)
        }
    }

    private func draw(_ pause: ClosedRange<Duration>, _ random: inout some RandomNumberGenerator) -> Duration {
        let range = pause.lowerBound.saturatedNanoseconds...pause.upperBound.saturatedNanoseconds
        return max(Backoff.floor, .nanoseconds(Int64.random(in: range, using: &random)))
    }
}
