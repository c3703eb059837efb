import Synchronization

/// Permits for the calls of origins that one fetch makes at the same time. Where none is free, calls wait in the order in which they came.
///
/// A call waits for nothing that needs another permit, so that each permit comes back.
final class CallPermits: Sendable {
    private struct State {
        var free: Int
        var waiting: [Race<Void>] = []
        /// Where ``waiting`` begins.
        var first = 0

        /// The next that waits; nil where none does: then the permit is free.
        mutating func next() -> Race<Void>? {
            guard first < waiting.count else {
                (waiting, first) = ([], 0)
                free += 1
                return nil
            }
            defer { first += 1 }
            return waiting[first]
        }
    }

    private let state: Mutex<State>

    /// - Parameter most: at least one.
    init(_ most: Int) { state = Mutex(State(free: max(1, most))) }

    /// How many are free, for tests.
    var freeCount: Int { state.withLock(\.free) }

    /// How many have asked for one and wait, or have left meanwhile; for tests.
    var waitingCount: Int { state.withLock { $0.waiting.count - $0.first } }

    /// Takes a permit: give it back with ``give()``. Throws ``PastLimit`` at `end`, and `CancellationError`; then there is none to give back.
    func take(until end: Timestamp?, on clock: PipelineClock) async throws {
        let race = state.withLock { state -> Race<Void>? in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            let race = Race<Void>()
            state.waiting.append(race)
            return race
        }
        try await race?.value(until: end, on: clock)
    }

    /// Gives a permit back: the next that waits has it.
    func give() {
        // One that has left takes nothing.
        while let next = state.withLock({ $0.next() }) { if next.finish(.success(())) { return } }
    }
}
