import Synchronization

/// The running loads, one for each key, with their waiters.
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

    private typealias Continuation = CheckedContinuation<SharedReply, any Error>

    private struct State {
        var flights: [ID: Flight<Continuation>] = [:]
        /// Flights that new fetches no longer join, because their key was removed.
        var detached: [ID: [UInt64: Flight<Continuation>]] = [:]
        var nextNumber: UInt64 = 0
        var isOver = false

        mutating func change<Value>(_ number: UInt64, of id: ID, _ body: (inout Flight<Continuation>) -> Value) -> Value? {
            if let index = flights.index(forKey: id), flights.values[index].number == number { return flights.values[index].change(body) }
            return detached[id]?[number]?.change(body)
        }

        mutating func remove(_ number: UInt64, of id: ID) -> Flight<Continuation>? {
            if let index = flights.index(forKey: id), flights.values[index].number == number { return flights.remove(at: index).value }
            return removeDetached(number, of: id)
        }

        private mutating func removeDetached(_ number: UInt64, of id: ID) -> Flight<Continuation>? {
            let flight = detached[id]?.removeValue(forKey: number)
            if detached[id]?.isEmpty == true { detached[id] = nil }
            return flight
        }

        /// Changes the flight that runs, or a new one; `body` learns which.
        mutating func join<Value>(_ id: ID, _ body: (inout Flight<Continuation>, _ isNew: Bool) -> Value) -> Value {
            let next = nextNumber + 1
            return flights[id, default: Flight(number: next)].change { flight in
                if flight.number == next { nextNumber = next }
                return body(&flight, flight.number == next)
            }
        }

        /// Removes a waiter from the flight of `id` that has it. Returns the waiter, and the flight if it has no other waiter.
        mutating func leave(_ waiter: UInt64, of id: ID) -> (waiter: Continuation?, abandoned: Flight<Continuation>?) {
            if let waiter = flights[id]?.remove(waiter) {
                return (waiter, flights[id]?.isAbandoned == true ? flights.removeValue(forKey: id) : nil)
            }
            for number in detached[id].map({ $0.keys.sorted() }) ?? [] {
                guard let waiter = detached[id]?[number]?.remove(waiter) else { continue }
                return (waiter, detached[id]?[number]?.isAbandoned == true ? removeDetached(number, of: id) : nil)
            }
            return (nil, nil)
        }
    }

    /// A waiter waits until its own deadline and a moment longer, so that the load's reply about the deadline comes first.
    private static let grace = Duration.milliseconds(20)

    private let state = Mutex(State())
    private let lastWaiter = Atomic<UInt64>(0)
    private let ended = Atomic<UInt64>(0)
    private let clock: PipelineClock?
    /// What a waiter gets at its deadline.
    private let overdue: LoadReply?

    /// Flights that keep no deadlines for their waiters.
    init() { (clock, overdue) = (nil, nil) }

    /// - Parameter overdue: what a waiter gets at its own deadline.
    init(clock: PipelineClock, overdue: LoadReply) { (self.clock, self.overdue) = (clock, overdue) }

    /// How many loads run, for tests.
    package var count: Int { state.withLock { $0.flights.count + $0.detached.values.reduce(0) { $0 + $1.count } } }

    /// How many loads have ended, or have been detached. While the count stays the same, no load has changed what a cache holds.
    @inline(__always)
    var endedCount: UInt64 { ended.load(ordering: .acquiring) }

    /// How many waiters a load of `key` has, for tests.
    package func waiterCount(of key: Key) -> Int {
        state.withLock { state in
            let detached = state.detached.filter { $0.key.key == key }.flatMap(\.value.values)
            let flights = state.flights.filter { $0.key.key == key }.map(\.value) + detached
            return flights.reduce(0) { $0 + $1.waiterCount }
        }
    }

    /// Begins a load on the calling thread. Nil when `begin` leaves something to load, and when a load runs already: join it then.
    func begin(_ id: ID, _ request: inout LoadRequest, _ begin: Loader.Begin) -> LoadReply? {
        guard let number = lead(id) else { return nil }
        if let reply = begin(&request), answer(number, of: id, with: reply) { return reply }
        request.leading = number
        return nil
    }

    /// Waits for the load of `waiter`, starting `load` when none runs. Throws `CancellationError` at once when the waiter is cancelled.
    func join(_ waiter: Waiter, load: @escaping Loader.Load) async throws -> SharedReply {
        if waiter.leading == nil { try Task.checkCancellation() }
        let number = lastWaiter.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(waiter, continuation, number: number, load)
            }
        } onCancel: {
            leave(number, of: waiter.id)
        }
    }

    /// Lets running loads of these keys end for their waiters, and keeps new fetches from joining them.
    func detach(where isRemoved: (Key) -> Bool) {
        state.withLock { state in
            ended.add(1, ordering: .releasing)
            for (id, flight) in state.flights where isRemoved(id.key) {
                state.detached[id, default: [:]][flight.number] = flight
                state.flights[id] = nil
            }
        }
    }

    /// Ends every load: its waiters get ``ShutDownError``. No load starts afterwards.
    func end() {
        let flights = state.withLock { state in
            state.isOver = true
            defer { (state.flights, state.detached) = ([:], [:]) }
            // In the order in which they began, in every process.
            return (state.flights.values + state.detached.values.flatMap(\.values)).sorted { $0.number < $1.number }
        }
        for flight in flights {
            Self.resume(flight.waiters, with: .failure(ShutDownError()))
            flight.task?.cancel()
            cancel(flight.alarm)
        }
    }
}

extension Flights {
    /// Begins a flight that may need no task; fetches that come meanwhile wait in it. Nil when one runs, or all have ended.
    private func lead(_ id: ID) -> UInt64? {
        state.withLock { state in
            if state.isOver { return nil }
            return state.join(id) { flight, isNew in
                if isNew { flight.isBeginning = true }
                return isNew ? flight.number : nil
            }
        }
    }

    /// The flight `number` has its answer. False when all flights have ended meanwhile.
    private func answer(_ number: UInt64, of id: ID, with reply: LoadReply) -> Bool {
        guard let flight = remove(number, of: id) else { return false }
        cancel(flight.alarm)
        if flight.waiterCount > 0 { Self.resume(flight.waiters, with: .success(SharedReply(reply))) }
        return true
    }

    private func join(_ waiter: Waiter, _ continuation: Continuation, number: UInt64, _ load: @escaping Loader.Load) {
        let id = waiter.id
        guard let (flight, isLeader, wake) = add(continuation, number: number, waiter) else {
            return continuation.resume(throwing: ShutDownError())
        }
        // A waiter that was cancelled before it was added could not be found and removed then.
        if Task.isCancelled {
            leave(number, of: id)
            guard runs(flight, of: id) else { return }
        }
        if isLeader { start(flight, of: id) { try await load(waiter.request) } }
        if let wake { watch(flight, of: id, from: wake) }
    }

    /// Adds a waiter. Returns the flight, whether its load must start, and when its alarm must ring for this waiter; nil there when an alarm
    /// rings early enough already. Returns nil when all flights have ended.
    private func add(
        _ continuation: Continuation, number: UInt64, _ waiter: Waiter
    ) -> (flight: UInt64, isLeader: Bool, wake: Timestamp?)? {
        let end = clock == nil ? nil : waiter.request.deadline.map { $0 + Self.grace }
        func add(to flight: inout Flight<Continuation>, isLeader: Bool) -> (UInt64, Bool, Timestamp?) {
            flight.add(continuation, number: number, until: end)
            return (flight.number, isLeader, end.flatMap { flight.mustWake(at: $0) ? $0 : nil })
        }
        return state.withLock { state in
            if state.isOver { return nil }
            guard let led = waiter.leading else { return state.join(waiter.id) { add(to: &$0, isLeader: $1) } }
            return state.change(led, of: waiter.id) { flight in
                flight.isBeginning = false
                return add(to: &flight, isLeader: true)
            }
        }
    }

    private func start(_ number: UInt64, of id: ID, load: @escaping @Sendable () async throws -> LoadReply) {
        // Ends with the load; cancelled by the last waiter to leave. Not a child of the leader's task, whose cancellation
        // is no concern of the others.
        let task = Task.beginning {
            let result = await Result { try await load() }
            let flight = self.remove(number, of: id)
            self.cancel(flight?.alarm)
            Self.resume(flight?.waiters ?? [], with: result.map(SharedReply.init))
        }
        // Either it has ended, and cancelling does nothing, or every waiter left while it began.
        if !keep(number, of: id, { $0.task = task }) { task.cancel() }
    }

    /// Keeps the deadlines of all waiters with one alarm.
    private func watch(_ number: UInt64, of id: ID, from moment: Timestamp) {
        guard let clock, runs(number, of: id) else { return }
        let alarm = clock.alarms.set(at: moment) {
            if let next = self.expire(number, of: id, at: clock.now) { self.watch(number, of: id, from: next) }
        }
        var needless: Alarm? = alarm
        _ = keep(number, of: id) { flight in
            // A waiter with less time may have been here meanwhile, or the alarm may have rung.
            guard flight.mustBeWoken(at: moment) else { return }
            needless = flight.alarm
            flight.alarm = alarm
        }
        cancel(needless)
    }

    private func cancel(_ alarm: Alarm?) {
        if let alarm { clock?.alarms.cancel(alarm) }
    }

    private func runs(_ number: UInt64, of id: ID) -> Bool { keep(number, of: id) { _ in } }

    /// False when the flight has ended.
    private func keep(_ number: UInt64, of id: ID, _ change: (inout Flight<Continuation>) -> Void) -> Bool {
        state.withLock { $0.change(number, of: id, change) != nil }
    }

    private func remove(_ number: UInt64, of id: ID) -> Flight<Continuation>? {
        state.withLock { state in
            ended.add(1, ordering: .releasing)
            return state.remove(number, of: id)
        }
    }

    /// Ends the wait of waiters whose time is over; returns when the next one's will be.
    private func expire(_ number: UInt64, of id: ID, at now: Timestamp) -> Timestamp? {
        let (expired, next, abandoned) = state.withLock { state -> ([Continuation], Timestamp?, Flight<Continuation>?) in
            guard let (expired, next) = state.change(number, of: id, { $0.expire(at: now) }) else { return ([], nil, nil) }
            let isAbandoned = state.change(number, of: id) { $0.isAbandoned } ?? false
            if isAbandoned { ended.add(1, ordering: .releasing) }
            return (expired, next, isAbandoned ? state.remove(number, of: id) : nil)
        }
        if let overdue { Self.resume(expired, with: .success(SharedReply(overdue))) }
        abandoned?.task?.cancel()
        return next
    }

    private static func resume(_ waiters: [Continuation], with result: Result<SharedReply, any Error>) {
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func leave(_ number: UInt64, of id: ID) {
        let (waiter, abandoned) = state.withLock { state in
            defer { ended.add(1, ordering: .releasing) }
            return state.leave(number, of: id)
        }
        abandoned?.task?.cancel()
        cancel(abandoned?.alarm)
        waiter?.resume(throwing: CancellationError())
    }
}
