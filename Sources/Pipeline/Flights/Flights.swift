import Synchronization

/// The running loads, one for each key, with those who wait for them.
package final class Flights: Sendable {
    /// What makes two loads the same.
    struct ID: Hashable, Sendable {
        let key: Key
        let policy: FetchPolicy
        /// Whether it is a refresh in the background, which may take another process's copy.
        var renews = false

        /// The few loads of one key may share a hash.
        func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    typealias Seat = CheckedContinuation<Landing, any Error>

    /// A seat in a flight.
    private struct Boarding {
        let flight: UInt64
        /// Whether the load is to be started.
        let isLeader: Bool
        /// When the flight's alarm has to ring now that this one waits, too; nil when it does already.
        let wake: Timestamp?
    }

    private struct State {
        var flights: [ID: Flight<Seat>] = [:]
        /// Flights that new fetches do not join any more, because their key was removed since.
        var detached: [ID: [UInt64: Flight<Seat>]] = [:]
        var nextNumber: UInt64 = 0
        var isOver = false

        mutating func change<Result>(_ number: UInt64, of id: ID, _ body: (inout Flight<Seat>) -> Result) -> Result? {
            if let index = flights.index(forKey: id), flights.values[index].number == number { return flights.values[index].change(body) }
            return detached[id]?[number]?.change(body)
        }

        mutating func remove(_ number: UInt64, of id: ID) -> Flight<Seat>? {
            if let index = flights.index(forKey: id), flights.values[index].number == number { return flights.remove(at: index).value }
            return removeDetached(number, of: id)
        }

        private mutating func removeDetached(_ number: UInt64, of id: ID) -> Flight<Seat>? {
            let flight = detached[id]?.removeValue(forKey: number)
            if detached[id]?.isEmpty == true { detached[id] = nil }
            return flight
        }

        /// Changes the flight that runs, or a new one; `body` is told which.
        mutating func board<Result>(_ id: ID, _ body: (inout Flight<Seat>, _ isNew: Bool) -> Result) -> Result {
            let next = nextNumber + 1
            let result = flights[id, default: Flight(number: next)].change { flight in
                if flight.number == next { nextNumber = next }
                return body(&flight, flight.number == next)
            }
            return result
        }

        /// Empties a place in whichever flight of `id` it is; gives who had it, and the flight when nobody is left there.
        mutating func leave(_ place: UInt64, of id: ID) -> (seat: Seat?, abandoned: Flight<Seat>?) {
            if let seat = flights[id]?.leave(place) {
                return (seat, flights[id]?.isAbandoned == true ? flights.removeValue(forKey: id) : nil)
            }
            for number in detached[id].map({ $0.keys.sorted() }) ?? [] {
                guard let seat = detached[id]?[number]?.leave(place) else { continue }
                return (seat, detached[id]?[number]?.isAbandoned == true ? removeDetached(number, of: id) : nil)
            }
            return (nil, nil)
        }
    }

    private let state = Mutex(State())
    private let lastPlace = Atomic<UInt64>(0)
    private let patience: Patience?

    /// - Parameter patience: how long those who wait do so; without it deadlines are the load's business alone.
    init(patience: Patience? = nil) {
        self.patience = patience
    }

    /// How many loads run, for tests.
    package var count: Int { state.withLock { $0.flights.count + $0.detached.values.reduce(0) { $0 + $1.count } } }

    /// How many wait for a load of `key`, for tests.
    package func waiterCount(of key: Key) -> Int {
        state.withLock { state in
            let detached = state.detached.filter { $0.key.key == key }.flatMap(\.value.values)
            let flights = state.flights.filter { $0.key.key == key }.map(\.value) + detached
            return flights.reduce(0) { $0 + $1.waiterCount }
        }
    }

    /// Begins a flight for who looks for an answer that needs no load; nil when one runs, which is to be joined. Who comes meanwhile
    /// waits in it. Ends with ``answer(_:of:with:)``, or goes on with ``join(_:load:)``.
    func lead(_ id: ID) throws(ShutDownError) -> UInt64? {
        let (number, isOver) = state.withLock { state -> (UInt64?, Bool) in
            if state.isOver { return (nil, true) }
            let number = state.board(id) { flight, isNew -> UInt64? in
                if isNew { flight.isProbing = true }
                return isNew ? flight.number : nil
            }
            return (number, false)
        }
        if isOver { throw ShutDownError() }
        return number
    }

    /// What ends the look of who leads the flight `number`, when all flights are ended while it is waited for. Throws when they were.
    func callOff(of number: UInt64, of id: ID) throws(ShutDownError) -> CallOff {
        let callOff = CallOff()
        guard keep(number, of: id, { $0.callOff = callOff }) else { throw ShutDownError() }
        return callOff
    }

    /// The flight `number` has its answer. Throws when all flights were ended meanwhile.
    func answer(_ number: UInt64, of id: ID, with reply: LoadReply) throws(ShutDownError) {
        guard let flight = state.withLock({ $0.remove(number, of: id) }) else { throw ShutDownError() }
        cancel(flight.alarm)
        if flight.waiterCount > 0 { Self.land(flight.seats, with: .success(Landing(reply))) }
    }

    /// Waits for the load that is departed for, starting `load` when none runs. Throws `CancellationError` at once when the waiter is
    /// cancelled.
    func join(_ departure: Departure, load: @escaping Loader.Load) async throws -> Landing {
        if departure.leading == nil { try Task.checkCancellation() }
        let place = lastPlace.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { seat in
                board(seat, at: place, departure, load)
            }
        } onCancel: {
            leave(place, of: departure.id)
        }
    }

    /// Lets the loads of `key` end for those who wait, and lets nobody join them any more.
    func detach(where isRemoved: (Key) -> Bool) {
        state.withLock { state in
            for (id, flight) in state.flights where isRemoved(id.key) {
                state.detached[id, default: [:]][flight.number] = flight
                state.flights[id] = nil
            }
        }
    }

    /// Ends every load, for those who wait with ``ShutDownError``, and starts none any more.
    func end() {
        let flights = state.withLock { state in
            state.isOver = true
            defer { (state.flights, state.detached) = ([:], [:]) }
            // In the order in which they began, in every process.
            return (state.flights.values + state.detached.values.flatMap(\.values)).sorted { $0.number < $1.number }
        }
        for flight in flights {
            Self.land(flight.seats, with: .failure(ShutDownError()))
            flight.task?.cancel()
            flight.callOff?.call()
            cancel(flight.alarm)
        }
    }
}

extension Flights {
    private func board(_ seat: Seat, at place: UInt64, _ departure: Departure, _ load: @escaping Loader.Load) {
        let id = departure.id
        guard let boarding = take(seat, at: place, departure) else { return seat.resume(throwing: ShutDownError()) }
        // Whoever was cancelled before the place was taken has not been found there.
        if Task.isCancelled {
            leave(place, of: id)
            guard keep(boarding.flight, of: id, { _ in }) else { return }
        }
        if boarding.isLeader { start(boarding.flight, of: id) { try await load(departure.request) } }
        if let wake = boarding.wake { watch(boarding.flight, of: id, from: wake) }
    }

    /// Nil when it is over.
    private func take(_ seat: Seat, at place: UInt64, _ departure: Departure) -> Boarding? {
        let end = patience.flatMap { patience in departure.request.deadline.map(patience.end) }
        func take(_ flight: inout Flight<Seat>, isLeader: Bool) -> Boarding {
            flight.take(seat, at: place, until: end)
            let wake = end.flatMap { flight.mustWake(at: $0) ? $0 : nil }
            return Boarding(flight: flight.number, isLeader: isLeader, wake: wake)
        }
        return state.withLock { state in
            if state.isOver { return nil }
            guard let led = departure.leading else { return state.board(departure.id) { take(&$0, isLeader: $1) } }
            return state.change(led, of: departure.id) { flight in
                flight.isProbing = false
                flight.callOff = nil
                return take(&flight, isLeader: true)
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

    /// Sees to it that nobody waits longer than he may: one alarm for all who wait.
    private func watch(_ number: UInt64, of id: ID, from moment: Timestamp) {
        guard let patience, keep(number, of: id, { _ in }) else { return }
        let alarm = patience.clock.alarms.set(at: moment) {
            let next = self.expire(number, of: id, reply: patience.overdue, at: patience.clock.now)
            if let next { self.watch(number, of: id, from: next) }
        }
        var needless: Alarm? = alarm
        _ = keep(number, of: id) { flight in
            // Somebody with less time may have been here meanwhile, or the alarm may have rung.
            guard flight.mustBeWoken(at: moment) else { return }
            needless = flight.alarm
            flight.alarm = alarm
        }
        cancel(needless)
    }

    private func cancel(_ alarm: Alarm?) {
        if let alarm { patience?.clock.alarms.cancel(alarm) }
    }

    /// False when the flight has ended.
    private func keep(_ number: UInt64, of id: ID, _ change: (inout Flight<Seat>) -> Void) -> Bool {
        state.withLock { $0.change(number, of: id, change) != nil }
    }

    /// Has those go whose time is over; gives when the next one's will be.
    private func expire(_ number: UInt64, of id: ID, reply: LoadReply, at now: Timestamp) -> Timestamp? {
        let (overdue, next, abandoned) = state.withLock { state -> ([Seat], Timestamp?, Flight<Seat>?) in
            guard let (overdue, next) = state.change(number, of: id, { $0.expire(at: now) }) else { return ([], nil, nil) }
            let isAbandoned = state.change(number, of: id) { $0.isAbandoned } ?? false
            return (overdue, next, isAbandoned ? state.remove(number, of: id) : nil)
        }
        Self.land(overdue, with: .success(Landing(reply)))
        abandoned?.task?.cancel()
        return next
    }

    private func land(_ number: UInt64, of id: ID, with result: Result<LoadReply, any Error>) {
        let flight = state.withLock { $0.remove(number, of: id) }
        cancel(flight?.alarm)
        Self.land(flight?.seats ?? [], with: result.map(Landing.init))
    }

    private static func land(_ seats: [Seat], with result: Result<Landing, any Error>) {
        for seat in seats { seat.resume(with: result) }
    }

    private func leave(_ place: UInt64, of id: ID) {
        let (seat, abandoned) = state.withLock { $0.leave(place, of: id) }
        abandoned?.task?.cancel()
        cancel(abandoned?.alarm)
        seat?.resume(throwing: CancellationError())
    }
}
