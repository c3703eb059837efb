internal import Pipeline
internal import Synchronization

/// Wakes the one task that waits for reports.
final class Bell: Sendable {
    private struct State {
        var rung: Timestamp?
        var waiter: Race<Void>?
    }

    private let clock: PipelineClock
    private let state = Mutex(State())

    init(_ clock: PipelineClock) {
        self.clock = clock
    }

    /// Something was reported.
    func ring() {
        let now = clock.now
        let waiter = state.withLock { state in
            state.rung = now
            return state.waiter.take()
        }
        waiter?.finish(.success(()))
    }

    /// When it rang last since the last call; nil when it did not.
    func take() -> Timestamp? {
        state.withLock { $0.rung.take() }
    }

    /// Returns when it has rung since the last ``take()``, or at `end`.
    func wait(until end: Timestamp) async throws {
        let waiter = Race<Void>()
        let hasRung = state.withLock { state in
            state.waiter = waiter
            return state.rung != nil
        }
        if hasRung { return }
        do {
            try await waiter.value(until: end, on: clock)
        } catch is PastLimit {
            return
        }
    }
}
