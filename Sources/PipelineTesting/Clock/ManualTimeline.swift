import Pipeline
import Synchronization

/// The moving parts of a ``ManualClock``, apart from it so that its closures can hold them.
final class ManualTimeline: Sendable {
    private struct Sleeper {
        let ticket: Ticket
        let deadline: Duration
        let number: Int
    }

    private struct State {
        var wall: Timestamp
        // Not zero, so that a mix-up of the monotonic clock with a duration shows.
        var monotonic = Duration.seconds(1_000)
        var sleepers: [ObjectIdentifier: Sleeper] = [:]
        var arrivals = 0
        var observers = CountObservers()

        mutating func add(_ ticket: Ticket, for duration: Duration) -> [Ticket] {
            arrivals += 1
            sleepers[ObjectIdentifier(ticket)] = Sleeper(ticket: ticket, deadline: monotonic + duration, number: arrivals)
            return observers.reached(sleepers.count)
        }

        mutating func advance(by duration: Duration) -> [Ticket] {
            monotonic += duration
            wall = wall + duration
            let due = sleepers.values
                .filter { $0.deadline <= monotonic }
                .sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
                .map(\.ticket)
            for ticket in due { sleepers[ObjectIdentifier(ticket)] = nil }
            return due
        }
    }

    private let state: Mutex<State>

    init(wall: Timestamp) {
        state = Mutex(State(wall: wall))
    }

    var wall: Timestamp { state.withLock(\.wall) }

    var monotonic: Duration { state.withLock(\.monotonic) }

    var sleeperCount: Int { state.withLock(\.sleepers.count) }

    func advance(by duration: Duration) {
        state.withLock { $0.advance(by: duration) }.admit()
    }

    func stepWall(by duration: Duration) {
        state.withLock { $0.wall = $0.wall + duration }
    }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let ticket = Ticket()
        state.withLock { $0.add(ticket, for: duration) }.admit()
        try await ticket.wait {
            state.withLock { _ = $0.sleepers.removeValue(forKey: ObjectIdentifier(ticket)) }
        }
    }

    func sleepers(atLeast count: Int) async {
        let ticket = Ticket()
        state.withLock { $0.observers.add(ticket, waitingFor: count, present: $0.sleepers.count) }
        try? await ticket.wait {
            state.withLock { $0.observers.remove(ticket) }
        }
    }
}
