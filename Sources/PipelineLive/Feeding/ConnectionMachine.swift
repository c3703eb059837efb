import Pipeline

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

/// The time to wait before the next attempt to connect. Pure: the caller waits.
///
/// Each failure doubles the pause. Only a connection that has been well for ``steady`` makes the next pause short again, so that a server that
/// accepts and drops is not asked in a loop.
package struct Backoff: Sendable {
    /// The shortest pause.
    package static let floor = Duration.milliseconds(100)
    /// The time for which a connection must have been well.
    package static let steady = Duration.seconds(30)

    private var policy: ReconnectPolicy
    private var failures = 0

    package init(_ policy: ReconnectPolicy) {
        self.policy = policy
    }

    /// The server asks for another `base`, as `retry:` of an event stream does.
    package mutating func rebase(_ base: Duration) {
        policy.base = base
    }

    /// The pause before the next attempt, after one more failure.
    ///
    /// - Parameter wellFor: how long the connection that ended was well; nil for one that never was.
    package mutating func pause(afterBeingWellFor wellFor: Duration? = nil, random: inout some RandomNumberGenerator) -> Duration {
        if let wellFor, wellFor >= Self.steady { failures = 0 }
        let highest = min(policy.max.saturatedNanoseconds, doubled(policy.base.saturatedNanoseconds, times: failures))
        failures += 1
        return max(Self.floor, .nanoseconds(Int64.random(in: 0...max(0, highest), using: &random)))
    }

    private func doubled(_ base: Int64, times: Int) -> Int64 {
        guard times < Int64.bitWidth - 1 else { return .max }
        let (product, isOver) = base.multipliedReportingOverflow(by: 1 << times)
        return isOver ? .max : product
    }
}

/// The pauses between attempts to connect: random between 0 and `base` × 2ᵏ after k failures in a row, at least 100 ms, at most `max`
/// ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015: full jitter).
public struct ReconnectPolicy: Sendable, Hashable {
    /// The upper end of the first pause.
    public var base: Duration
    /// The longest pause.
    public var max: Duration

    /// Pauses from `base` up to `max`.
    ///
    /// - Parameters:
    ///   - base: the upper end of the first pause.
    ///   - max: the longest pause.
    public init(base: Duration = .seconds(1), max: Duration = .seconds(30)) {
        self.base = base
        self.max = max
    }
}
