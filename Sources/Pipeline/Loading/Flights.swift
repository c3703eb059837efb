import Synchronization

/// The running loads, one for each key, with those who wait for them.
package final class Flights: Sendable {
    /// What makes two loads the same.
    struct ID: Hashable, Sendable {
        let key: Key
        let policy: FetchPolicy
        /// Whether it is a refresh in the background, which may take another process's copy.
        var renews = false
    }

    private typealias Seat = Flight.Seat

    /// A seat in a flight.
    private struct Boarding {
        let flight: UInt64
        let place: Int
        /// Whether the load is to be started.
        let isLeader: Bool
        /// When the flight's timer has to wake now that this one waits, too; nil when it does already.
        let wake: Timestamp?
    }

    private struct State {
        var flights: [ID: Flight] = [:]
        /// Flights that new fetches do not join any more, because their key was removed since.
        var detached: [UInt64: Flight] = [:]
        var nextNumber: UInt64 = 0
        var isOver = false

        mutating func change<Result>(_ number: UInt64, of id: ID, _ body: (inout Flight) -> Result) -> Result? {
            flights[id]?.number == number ? flights[id]?.change(body) : detached[number]?.change(body)
        }

        mutating func remove(_ number: UInt64, of id: ID) -> Flight? {
            flights[id]?.number == number ? flights.removeValue(forKey: id) : detached.removeValue(forKey: number)
        }
    }

    private let state = Mutex(State())
    private let patience: Patience?

    /// - Parameter patience: how long those who wait do so; without it deadlines are the load's business alone.
    init(patience: Patience? = nil) {
        self.patience = patience
    }

    /// How many loads run, for tests.
    package var count: Int { state.withLock { $0.flights.count + $0.detached.count } }

    /// How many wait for a load of `key`, for tests.
    package func waiterCount(of key: Key) -> Int {
        state.withLock { state in
            let flights = state.flights.filter { $0.key.key == key }.map(\.value) + state.detached.values
            return flights.reduce(0) { $0 + $1.waiterCount }
        }
    }

    /// Waits for the load of `id`, starting `load` when none runs. Throws `CancellationError` at once when the waiter is cancelled.
    func join(_ id: ID, until deadline: Timestamp? = nil, load: @escaping @Sendable () async throws -> LoadReply) async throws -> LoadReply
    {
        try Task.checkCancellation()
        let seat = Seat()
        let boarding = try takeSeat(seat, in: id, until: deadline)
        if boarding.isLeader {
            start(boarding.flight, of: id, load: load)
            // A load that did not have to wait has landed: there is nothing to wait for, and nothing to cancel.
            if let result = seat.result { return try result.get() }
        }
        if let wake = boarding.wake { watch(boarding.flight, of: id, from: wake) }
        return try await seat.value { leave(boarding, of: id) }
    }

    /// Lets the loads of `key` end for those who wait, and lets nobody join them any more.
    func detach(where isRemoved: (Key) -> Bool) {
        state.withLock { state in
            for (id, flight) in state.flights where isRemoved(id.key) {
                state.detached[flight.number] = flight
                state.flights[id] = nil
            }
        }
    }

    /// Ends every load, for those who wait with ``ShutDownError``, and starts none any more.
    func end() {
        let flights = state.withLock { state in
            state.isOver = true
            defer { (state.flights, state.detached) = ([:], [:]) }
            return Array(state.flights.values) + state.detached.values
        }
        for flight in flights {
            for seat in flight.seats { seat.finish(.failure(ShutDownError())) }
            flight.task?.cancel()
            flight.timer?.cancel()
        }
    }

    private func takeSeat(_ seat: Seat, in id: ID, until deadline: Timestamp?) throws -> Boarding {
        let end = patience.flatMap { patience in deadline.map(patience.end) }
        return try state.withLock { state in
            if state.isOver { throw ShutDownError() }
            let isLeader = state.flights[id] == nil
            if isLeader { state.nextNumber += 1 }
            let number = state.nextNumber
            return state.flights[id, default: Flight(number: number)].change { flight in
                let place = flight.take(seat, until: end)
                let wake = end.flatMap { flight.mustWake(at: $0) ? $0 : nil }
                return Boarding(flight: flight.number, place: place, isLeader: isLeader, wake: wake)
            }
        }
    }

    private func start(_ number: UInt64, of id: ID, load: @escaping @Sendable () async throws -> LoadReply) {
        // Ends with the load; cancelled by the last waiter to leave. Not a child of the leader's task, whose cancellation
        // is no concern of the others.
        let task = Task.beginning {
            let result = await Result { try await load() }
            self.land(number, of: id, with: result)
        }
        // Either it has landed, and cancelling does nothing, or everybody left while it took off.
        if !keep(number, of: id, { $0.task = task }) { task.cancel() }
    }

    /// Sees to it that nobody waits longer than he may: one timer for all who wait.
    private func watch(_ number: UInt64, of id: ID, from moment: Timestamp) {
        guard let patience, keep(number, of: id, { _ in }) else { return }
        // Ends with the flight, or when another one takes its place, or when nobody with a deadline waits any more.
        let timer = Task {
            var next: Timestamp? = moment
            while let moment = next, (try? await patience.clock.sleep(for: moment.duration(since: patience.clock.now))) != nil {
                next = self.expire(number, of: id, reply: patience.overdue, at: patience.clock.now)
            }
        }
        var replaced: Task<Void, Never>?
        let isKept = keep(number, of: id) { flight in
            replaced = flight.timer
            flight.timer = timer
        }
        if !isKept { timer.cancel() }
        replaced?.cancel()
    }

    /// False when the flight has ended.
    private func keep(_ number: UInt64, of id: ID, _ change: (inout Flight) -> Void) -> Bool {
        state.withLock { $0.change(number, of: id, change) != nil }
    }

    /// Has those go whose time is over; gives when the next one's will be.
    private func expire(_ number: UInt64, of id: ID, reply: LoadReply, at now: Timestamp) -> Timestamp? {
        let (overdue, next, abandoned) = state.withLock { state -> ([Seat], Timestamp?, Flight?) in
            guard let (overdue, next) = state.change(number, of: id, { $0.expire(at: now) }) else { return ([], nil, nil) }
            let isEmpty = state.change(number, of: id) { $0.waiterCount == 0 } ?? false
            return (overdue, next, isEmpty ? state.remove(number, of: id) : nil)
        }
        for seat in overdue { seat.finish(.success(reply)) }
        abandoned?.task?.cancel()
        return next
    }

    private func land(_ number: UInt64, of id: ID, with result: Result<LoadReply, any Error>) {
        let flight = state.withLock { $0.remove(number, of: id) }
        flight?.timer?.cancel()
        for seat in flight?.seats ?? [] { seat.finish(result) }
    }

    private func leave(_ boarding: Boarding, of id: ID) {
        let abandoned = state.withLock { state in
            let isLast = state.change(boarding.flight, of: id) { $0.leave(boarding.place) } ?? false
            return isLast ? state.remove(boarding.flight, of: id) : nil
        }
        abandoned?.task?.cancel()
        abandoned?.timer?.cancel()
    }
}
