import Synchronization

/// The running loads, one for each key, with those who wait for them.
final class Flights: Sendable {
    /// What makes two loads the same.
    struct ID: Hashable, Sendable {
        let key: Key
        let policy: FetchPolicy
    }

    private typealias Seat = Race<LoadReply>

    private struct Flight {
        let number: UInt64
        var seats: [ObjectIdentifier: Seat]
        var task: Task<Void, Never>?

        /// Empties a seat; true when it was the last one.
        mutating func leave(_ seat: Seat) -> Bool {
            seats.removeValue(forKey: ObjectIdentifier(seat)) != nil && seats.isEmpty
        }
    }

    private struct State {
        var flights: [ID: Flight] = [:]
        /// Flights that new fetches do not join any more, because their key was removed since.
        var detached: [UInt64: Flight] = [:]
        var nextNumber: UInt64 = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// How many loads run, for tests.
    var count: Int { state.withLock { $0.flights.count + $0.detached.count } }

    /// How many wait for a load of `key`, for tests.
    func waiterCount(of key: Key) -> Int {
        state.withLock { state in
            let flights = state.flights.filter { $0.key.key == key }.map(\.value) + state.detached.values
            return flights.reduce(0) { $0 + $1.seats.count }
        }
    }

    /// Waits for the load of `id`, starting `load` when none runs. Throws `CancellationError` at once when the waiter is cancelled.
    func join(_ id: ID, load: @escaping @Sendable () async throws -> LoadReply) async throws -> LoadReply {
        try Task.checkCancellation()
        let seat = Seat()
        let (number, isLeader) = try takeSeat(seat, in: id)
        if isLeader { start(number, of: id, load: load) }
        return try await seat.value { leave(seat, number: number, of: id) }
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
            for seat in flight.seats.values { seat.finish(.failure(ShutDownError())) }
            flight.task?.cancel()
        }
    }

    private func takeSeat(_ seat: Seat, in id: ID) throws -> (number: UInt64, isLeader: Bool) {
        try state.withLock { state in
            if state.isOver { throw ShutDownError() }
            // In place: a copy of the flight would have each that joins copy all seats.
            if let number = state.flights[id]?.number {
                state.flights[id]?.seats[ObjectIdentifier(seat)] = seat
                return (number, false)
            }
            state.nextNumber += 1
            state.flights[id] = Flight(number: state.nextNumber, seats: [ObjectIdentifier(seat): seat])
            return (state.nextNumber, true)
        }
    }

    private func start(_ number: UInt64, of id: ID, load: @escaping @Sendable () async throws -> LoadReply) {
        // Ends with the load; cancelled by the last waiter to leave. Not a child of the leader's task, whose cancellation
        // is no concern of the others.
        let task = Task.beginning {
            let result = await Result { try await load() }
            self.land(number, of: id, with: result)
        }
        let isAbandoned = state.withLock { state in
            if state.flights[id]?.number == number {
                state.flights[id]?.task = task
            } else if state.detached[number] != nil {
                state.detached[number]?.task = task
            } else {
                return true
            }
            return false
        }
        // Either it has landed, and this does nothing, or everybody left while it took off.
        if isAbandoned { task.cancel() }
    }

    private func land(_ number: UInt64, of id: ID, with result: Result<LoadReply, any Error>) {
        let seats = state.withLock { state -> [ObjectIdentifier: Seat] in
            if let flight = state.flights[id], flight.number == number {
                state.flights[id] = nil
                return flight.seats
            }
            return state.detached.removeValue(forKey: number)?.seats ?? [:]
        }
        for seat in seats.values { seat.finish(result) }
    }

    private func leave(_ seat: Seat, number: UInt64, of id: ID) {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            if state.flights[id]?.number == number {
                guard state.flights[id]?.leave(seat) == true else { return nil }
                return state.flights.removeValue(forKey: id)?.task
            }
            guard state.detached[number]?.leave(seat) == true else { return nil }
            return state.detached.removeValue(forKey: number)?.task
        }
        abandoned?.cancel()
    }
}
