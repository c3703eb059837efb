import Synchronization

/// Remembers for which keys a stale copy was served after a failed load, or before the end of a load, for ``StaleWindows/pause``.
package final class FailureThrottle: Sendable {
    private struct Note {
        /// When the copy was served.
        let moment: Timestamp
        /// How the load ends that went on then; nil for one that had failed.
        let ending: LoadEnding?

        /// Until when the load is not tried again, and whether it still runs.
        var rest: (end: Timestamp, isRunning: Bool) {
            switch ending?.state {
            case nil: (moment + StaleWindows.pause, false)
            case .running?: (moment + StaleWindows.pause, true)
            case .failed(let end)?: (end + StaleWindows.pause, false)
            case .well?: (moment, false)
            }
        }
    }

    private let clock: PipelineClock
    private struct State {
        var notes: [Key: Note] = [:]
        var nextSweep = 1_024
    }

    private let state = Mutex(State())

    package init(clock: PipelineClock) {
        self.clock = clock
    }

    /// The time for which the load of `key` must not be tried again; nil if it may be.
    package func pause(for key: Key) -> Duration? { rest(of: key)?.left }

    /// The time for which the load of `key` must not be tried again, and whether that is because a load still runs; nil if it may be.
    func rest(of key: Key) -> (left: Duration, isRunning: Bool)? {
        let now = clock.now
        return state.withLock { state in
            guard let (end, isRunning) = state.notes[key]?.rest else { return nil }
            if now < end { return (left: end.duration(since: now), isRunning: isRunning) }
            if !isRunning { state.notes[key] = nil }
            return nil
        }
    }

    /// The load of `key` failed now.
    package func note(_ key: Key) { note(key, until: nil) }

    /// The load of `key` failed now, or goes on until `ending`: if it fails then, it did so then.
    func note(_ key: Key, until ending: LoadEnding?) {
        let now = clock.now
        state.withLock { state in
            // Entries that are over are dropped whenever the number of entries has doubled, so that keys fetched once do not stay.
            if state.notes.count >= state.nextSweep {
                state.notes = state.notes.filter { $0.value.rest.isRunning || now < $0.value.rest.end }
                state.nextSweep = max(1_024, 2 * state.notes.count)
            }
            state.notes[key] = Note(moment: now, ending: ending)
        }
    }
}
