import Synchronization

/// Skips a failing source for a while: closed, open, then one probe (half-open).
///
/// Reads and writes count apart while the circuit is closed, so that a cache that can be read and not be written still opens it.
package final class CircuitBreaker: Sendable {
    /// The operation that the source was asked for.
    package enum Operation: Sendable {
        case read
        case write
    }

    private enum State {
        case closed(failures: [Operation: Int])
        case open(until: Timestamp)
        /// One probe is under way since then.
        case probing(since: Timestamp)
    }

    private let policy: CircuitBreakerPolicy
    private let clock: PipelineClock
    private let state = Mutex(State.closed(failures: [:]))

    package init(_ policy: CircuitBreakerPolicy, clock: PipelineClock) {
        self.policy = policy
        self.clock = clock
    }

    /// Its present state, for metrics.
    var reading: CircuitState {
        state.withLock { state in
            switch state {
            case .closed: .closed
            case .probing: .halfOpen
            case .open: .open
            }
        }
    }

    /// The decision on whether the source may be used.
    package enum Admission: Equatable {
        case free
        /// The first request after a pause: its result decides.
        case probe
        case refused(for: Duration)
    }

    /// Asks whether the source may be used. An admitted caller reports the result, or gives the admission back.
    package func admit() -> Admission {
        guard policy.failures > 0 else { return .free }
        let now = clock.now
        return state.withLock { state in
            switch state {
            case .closed: return .free
            case .open(let until) where now < until: return .refused(for: until.duration(since: now))
            // A probe that never comes back is replaced after another pause.
            case .probing(let since) where now < since + policy.openFor:
                return .refused(for: (since + policy.openFor).duration(since: now))
            case .open, .probing:
                state = .probing(since: now)
                return .probe
            }
        }
    }

    /// Notes that the source did what it had to do.
    package func succeed(_ operation: Operation) {
        state.withLock { state in
            switch state {
            case .closed(var failures):
                failures[operation] = nil
                state = .closed(failures: failures)
            case .open: break
            case .probing: state = .closed(failures: [:])
            }
        }
    }

    /// Notes that the source failed. Returns the time for which the circuit is open now; nil if it is not.
    @discardableResult
    package func fail(_ operation: Operation) -> Duration? {
        let now = clock.now
        return state.withLock { state in
            switch state {
            case .closed(var failures):
                failures[operation, default: 0] += 1
                let isOpen = failures[operation, default: 0] >= policy.failures && policy.failures > 0
                state = isOpen ? .open(until: now + policy.openFor) : .closed(failures: failures)
            case .open: break
            case .probing: state = .open(until: now + policy.openFor)
            }
            return if case .open(let until) = state { max(.zero, until.duration(since: now)) } else { nil }
        }
    }

    /// Gives an admission back, since the source was not asked after all: another request may be the probe.
    package func giveBack(_ admission: Admission) {
        guard admission == .probe else { return }
        let now = clock.now
        state.withLock { state in
            if case .probing = state { state = .open(until: now) }
        }
    }

    /// Why a source is not asked whose circuit stays open for `pause`.
    static func reason(openFor pause: Duration) -> String { "circuit open for another \(pause.rounded)" }
}

/// The state of a circuit, as a metric shows it.
package enum CircuitState: Int, Sendable {
    /// The source is asked.
    case closed = 0
    /// One request checks that the source is well again.
    case halfOpen = 1
    /// The source is skipped.
    case open = 2
}
