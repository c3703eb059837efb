import Synchronization

/// Leaves a failing source alone for a while: closed, open, then one probe (half-open).
final class CircuitBreaker: Sendable {
    private enum State {
        case closed(failures: Int)
        case open(until: Timestamp)
        /// One probe is under way since then.
        case probing(since: Timestamp)
    }

    private let policy: CircuitBreakerPolicy
    private let clock: PipelineClock
    private let state = Mutex(State.closed(failures: 0))

    init(_ policy: CircuitBreakerPolicy, clock: PipelineClock) {
        self.policy = policy
        self.clock = clock
    }

    /// How long the source is still to be left alone; nil when it may be asked. The first to get nil after a pause is the probe.
    func pause() -> Duration? {
        guard policy.failures > 0 else { return nil }
        let now = clock.now
        return state.withLock { state in
            switch state {
            case .closed: return nil
            case .open(let until) where now < until: return until.duration(since: now)
            // A probe that never comes back is replaced after another pause.
            case .probing(let since) where now < since + policy.openFor: return (since + policy.openFor).duration(since: now)
            case .open, .probing:
                state = .probing(since: now)
                return nil
            }
        }
    }

    /// The source answered.
    func succeed() {
        state.withLock { $0 = .closed(failures: 0) }
    }

    /// The source was written. That closes the circuit as a probe does, and otherwise says nothing of its reads.
    func noteWrite() {
        state.withLock { state in
            if case .probing = state { state = .closed(failures: 0) }
        }
    }

    /// The source failed.
    func fail() {
        let now = clock.now
        state.withLock { state in
            switch state {
            case .closed(let failures) where failures + 1 < policy.failures: state = .closed(failures: failures + 1)
            case .open: break
            case .closed, .probing: state = .open(until: now + policy.openFor)
            }
        }
    }
}
