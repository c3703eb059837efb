/// How long to wait before the next attempt to connect. Pure: the caller waits.
///
/// Each failure doubles the pause. Only a connection that has been well for ``steady`` makes the next pause short again, so that a server that
/// accepts and drops is not asked in a loop.
package struct Backoff: Sendable {
    /// The shortest pause.
    package static let floor = Duration.milliseconds(100)
    /// How long a connection must have been well.
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
