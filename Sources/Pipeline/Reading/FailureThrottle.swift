import Synchronization

/// Remembers for which keys a stale copy was served after a failed load, for ``StaleWindows/pause``.
package final class FailureThrottle: Sendable {
    private let clock: PipelineClock
    private struct State {
        var until: [Key: Timestamp] = [:]
        var nextSweep = 1_024
    }

    private let state = Mutex(State())

    package init(clock: PipelineClock) {
        self.clock = clock
    }

    /// How long the load of `key` must not be tried again; nil when it may be.
    package func pause(for key: Key) -> Duration? {
        let now = clock.now
        return state.withLock { state in
            guard let end = state.until[key] else { return nil }
            if now < end { return end.duration(since: now) }
            state.until[key] = nil
            return nil
        }
    }

    /// The load of `key` failed now.
    package func note(_ key: Key) {
        let now = clock.now
        state.withLock { state in
            // Entries that are over are dropped whenever the number of entries has doubled, so that keys fetched once do not stay.
            if state.until.count >= state.nextSweep {
                state.until = state.until.filter { now < $0.value }
                state.nextSweep = max(1_024, 2 * state.until.count)
            }
            state.until[key] = now + StaleWindows.pause
        }
    }
}
