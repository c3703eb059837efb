import Synchronization

/// The running loads, one for each key, with their waiters.
package final class Flights: Sendable {
    /// A load that runs in these flights.
    struct Place: Sendable {
        let flights: Flights
        let number: UInt64
        let id: Call.ID
        /// How often it reports; nil for one that is no read of an origin.
        let pace: ProgressPace?

        /// Whether it runs, and a fetch waits for it.
        var isRunning: Bool { flights.runs(number, of: id) }

        /// Its priority, which changes with its waiters; nil when it has ended.
        var priority: LoadPriority? { flights.priority(of: number, id) }

        /// Tells the waiters that want to know how much of the answer has come.
        func report(_ progress: LoadProgress) { flights.report(progress, to: number, of: id) }

        /// Where an origin reports how much of its answer has come; nil for no read of an origin.
        var progress: (@Sendable (_ received: Int, _ total: Int?) -> Void)? {
            guard let pace else { return nil }
            return { received, total in
                if pace.isDue() { report(LoadProgress(source: flights.name, received: received, total: total)) }
            }
        }
    }

    private typealias Continuation = Waiter.Continuation

    private struct State {
        var flights: [Call.ID: Flight<Continuation>] = [:]
        /// Flights that new fetches no longer join, because their key was removed.
        var detached: [Call.ID: [UInt64: Flight<Continuation>]] = [:]
        var nextNumber: UInt64 = 0
        var isOver = false

        mutating func change<Value>(_ number: UInt64, of id: Call.ID, _ body: (inout Flight<Continuation>) -> Value) -> Value? {
            if let index = index(of: number, id) { return flights.values[index].change(body) }
            return detached[id]?[number]?.change(body)
        }

        mutating func remove(_ number: UInt64, of id: Call.ID) -> Flight<Continuation>? {
            if let index = index(of: number, id) { return flights.remove(at: index).value }
            return removeDetached(number, of: id)
        }

        /// Where the flight `number` is, unless it is detached.
        private mutating func index(of number: UInt64, _ id: Call.ID) -> Dictionary<Call.ID, Flight<Continuation>>.Index? {
            guard let index = flights.index(forKey: id), flights.values[index].change({ $0.number == number }) else { return nil }
            return index
        }

        private mutating func removeDetached(_ number: UInt64, of id: Call.ID) -> Flight<Continuation>? {
            let flight = detached[id]?.removeValue(forKey: number)
            if detached[id]?.isEmpty == true { detached[id] = nil }
            return flight
        }

        /// Changes the flight that runs, or a new one; `body` learns which.
        mutating func join<Value>(_ id: Call.ID, _ body: (inout Flight<Continuation>, _ isNew: Bool) -> Value) -> Value {
            let next = nextNumber + 1
            return flights[id, default: Flight(number: next)].change { flight in
                if flight.number == next { nextNumber = next }
                return body(&flight, flight.number == next)
            }
        }

        /// Removes a waiter from the flight of `id` that has it. Returns the waiter, the flight if it has no other waiter, and the priority
        /// that changed.
        mutating func leave(
            _ waiter: UInt64, of id: Call.ID
        ) -> (waiter: Continuation?, abandoned: Flight<Continuation>?, priority: LoadPriority?) {
            if let waiter = flights[id]?.remove(waiter) {
                if flights[id]?.isAbandoned == true { return (waiter, flights.removeValue(forKey: id), nil) }
                return (waiter, nil, flights[id]?.settledPriority())
            }
            for number in detached[id].map({ $0.keys.sorted() }) ?? [] {
                guard let waiter = detached[id]?[number]?.remove(waiter) else { continue }
                if detached[id]?[number]?.isAbandoned == true { return (waiter, removeDetached(number, of: id), nil) }
                return (waiter, nil, detached[id]?[number]?.settledPriority())
            }
            return (nil, nil, nil)
        }
    }

    private let state = Mutex(State())
    private let lastWaiter = Atomic<UInt64>(0)
    private let ended = Atomic<UInt64>(0)
    /// What loads, by its name in traces.
    private let name: String
    private let clock: PipelineClock?
    /// Whether they are reads of an origin, which learns the priority of each, and reports its progress.
    private let areReads: Bool

    /// - Parameters:
    ///   - name: what loads.
    ///   - clock: gives each waiter its deadline; without one they have none.
    init(of name: String, clock: PipelineClock? = nil, areReads: Bool = false) {
        (self.name, self.clock, self.areReads) = (name, clock, areReads)
    }

    /// The number of loads that run, for tests.
    package var count: Int { state.withLock { $0.flights.count + $0.detached.values.reduce(0) { $0 + $1.count } } }

    /// How many loads have ended, or have been detached. While the count stays the same, no load has changed what a cache holds.
    @inline(__always)
    var endedCount: UInt64 { ended.load(ordering: .acquiring) }

    /// The number of waiters of a load of `key`, for tests.
    package func waiterCount(of key: Key) -> Int {
        state.withLock { state in
            let detached = state.detached.filter { $0.key.key == key }.flatMap(\.value.values)
            let flights = state.flights.filter { $0.key.key == key }.map(\.value) + detached
            return flights.reduce(0) { $0 + $1.waiterCount }
        }
    }

    /// Begins a load on the calling thread, where fetches that come meanwhile wait. Nil when `read` leaves something to load, and when a load runs
    /// already: join it then.
    func begin(
        _ call: Call, _ trail: inout Trail, _ standing: inout Standing, _ read: (Call, inout Trail) -> LoadReply?
    ) -> LoadReply? {
        guard let number = lead(call.id, until: call.deadline) else { return nil }
        if let reply = read(call, &trail), answer(number, of: call.id, with: reply) { return reply }
        standing.flight = place(number, of: call.id)
        return nil
    }

    private func place(_ number: UInt64, of id: Call.ID) -> Place {
        Place(flights: self, number: number, id: id, pace: areReads ? clock.map { ProgressPace(clock: $0) } : nil)
    }

    /// The time, where they keep deadlines; else the distant past.
    var now: Timestamp { clock?.now ?? .distantPast }

    /// The number of a waiter. They are drawn in advance.
    func nextNumber() -> UInt64 { lastWaiter.add(1, ordering: .relaxed).newValue }

    private func priority(of number: UInt64, _ id: Call.ID) -> LoadPriority? {
        state.withLock { $0.change(number, of: id) { $0.followedPriority() } }
    }

    private func report(_ progress: LoadProgress, to number: UInt64, of id: Call.ID) {
        for observer in state.withLock({ $0.change(number, of: id) { $0.progressObservers } }) ?? [] { observer(progress) }
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
            return (state.flights.values + state.detached.values.flatMap { $0.values }).sorted { $0.number < $1.number }
        }
        for flight in flights {
            flight.forEachWaiter { $0.resume(throwing: ShutDownError()) }
            flight.task?.cancel()
            cancelAlarm(of: flight)
        }
    }
}

extension Flights {
    /// Begins a flight that may need no task; fetches that come meanwhile wait in it. Nil when one runs, or all have ended.
    private func lead(_ id: Call.ID, until deadline: Timestamp?) -> UInt64? {
        state.withLock { state in
            if state.isOver { return nil }
            return state.join(id) { flight, isNew in
                guard isNew else { return nil }
                flight.isBeginning = true
                flight.loadEnd = deadline
                return flight.number
            }
        }
    }

    /// The flight `number` has its answer. False when all flights have ended meanwhile.
    private func answer(_ number: UInt64, of id: Call.ID, with reply: LoadReply) -> Bool {
        guard let flight = remove(number, of: id) else { return false }
        cancelAlarm(of: flight)
        if flight.waiterCount > 0 {
            let reply = SharedReply(reply)
            flight.forEachWaiter { $0.resume(returning: reply) }
        }
        return true
    }

    /// Adds a waiter to the load of its key, starting `load` when none runs. Its continuation is resumed with the reply, with
    /// `CancellationError` when it leaves, and with ``ShutDownError`` where all flights have ended.
    ///
    /// In a function of its own: what it needs on the way must not stay with each waiter.
    @inline(never)
    func join(_ waiter: Waiter, _ continuation: Waiter.Continuation, _ load: @escaping Loader.Load) {
        let id = waiter.id
        guard let joined = add(continuation, waiter) else {
            return continuation.resume(throwing: ShutDownError())
        }
        joined.priority?.tell()
        let flight = joined.flight
        // A waiter that was cancelled before it was added could not be found and removed then.
        if waiter.isCancelled {
            leave(waiter)
            guard runs(flight, of: id) else { return }
        }
        if joined.isLeader {
            start(flight, of: waiter, load)
        } else {
            waiter.noteJoined(joined.began)
            waiter.member?.leave()
        }
    }

    /// How a waiter joined a flight.
    private struct Joined {
        let flight: UInt64
        /// When its load began; nil where that has not waited yet.
        let began: Timestamp?
        /// Whether its load must start.
        let isLeader: Bool
        /// What has changed with it.
        let priority: LoadPriority?
    }

    /// Adds a waiter. Nil when all flights have ended.
    private func add(_ continuation: Continuation, _ waiter: Waiter) -> Joined? {
        let deadline = clock == nil ? nil : waiter.deadline
        func add(to flight: inout Flight<Continuation>, isLeader: Bool) -> Joined {
            if isLeader { flight.loadEnd = deadline }
            // A read ends in time for the load that began it. One that joins may have less time.
            let end = isLeader && areReads ? nil : deadline.map { flight.end(for: $0) }
            // Asked for here, where a later change finds the waiter.
            flight.add(
                continuation, number: waiter.number, until: end, priority: waiter.priority,
                leadingSince: isLeader ? waiter.begin : nil, progress: waiter.progress)
            if let end { watch(&flight, waiter.id, until: end) }
            return Joined(flight: flight.number, began: flight.began, isLeader: isLeader, priority: flight.settledPriority())
        }
        return state.withLock { state in
            if state.isOver { return nil }
            guard let led = waiter.flight(in: self) else { return state.join(waiter.id) { add(to: &$0, isLeader: $1) } }
            return state.change(led, of: waiter.id) { flight in
                flight.isBeginning = false
                return add(to: &flight, isLeader: true)
            }
        }
    }

    /// The waiter `number` has the priority that `priority` has now.
    func follow(_ priority: LoadPriority, _ number: UInt64, of id: Call.ID) {
        let changed = state.withLock { state in
            let flights = [state.flights[id]?.number].compactMap(\.self) + (state.detached[id].map { Array($0.keys) } ?? [])
            return flights.compactMap { flight in
                state.change(flight, of: id) { flight -> LoadPriority? in
                    flight.changePriority(of: number, to: priority.current)
                    return flight.settledPriority()
                } ?? nil
            }
        }
        for priority in changed { priority.tell() }
    }

    private func start(_ number: UInt64, of waiter: Waiter, _ load: @escaping Loader.Load) {
        let id = waiter.id
        let (call, trail, known) = waiter.request
        var standing = known
        standing.flight = place(number, of: id)
        // Ends with the load; cancelled by the last waiter to leave. Not a child of the leader's task, whose cancellation
        // is no concern of the others.
        let task = Task.beginning { [call, trail, standing] in
            let result = await Result { try await load(call, trail, standing) }
            guard let flight = self.remove(number, of: id) else { return }
            self.cancelAlarm(of: flight)
            flight.endPriority()
            let reply = result.map(SharedReply.init)
            flight.forEachWaiter { $0.resume(with: reply) }
        }
        // Either it has ended, and cancelling does nothing, or every waiter left while it began.
        if !keep(number, of: id, { $0.task = task }) { task.cancel() }
    }

    /// Keeps the deadlines of all waiters with one alarm.
    private func watch(_ flight: inout Flight<Continuation>, _ id: Call.ID, until moment: Timestamp) {
        guard let clock else { return }
        flight.alarm.set(by: moment, on: clock) { [weak self, number = flight.number] in
            self?.expire(number, of: id, at: clock.now, rung: $0)
        }
    }

    private func cancelAlarm(of flight: Flight<Continuation>) {
        var alarm = flight.alarm
        if let clock { alarm.cancel(on: clock) }
    }

    private func runs(_ number: UInt64, of id: Call.ID) -> Bool { keep(number, of: id) { _ in } }

    /// False when the flight has ended.
    private func keep(_ number: UInt64, of id: Call.ID, _ change: (inout Flight<Continuation>) -> Void) -> Bool {
        state.withLock { $0.change(number, of: id, change) != nil }
    }

    private func remove(_ number: UInt64, of id: Call.ID) -> Flight<Continuation>? {
        state.withLock { state in
            ended.add(1, ordering: .releasing)
            return state.remove(number, of: id)
        }
    }

    /// Ends the wait of waiters whose time is over.
    private func expire(_ number: UInt64, of id: Call.ID, at now: Timestamp, rung moment: Timestamp) {
        typealias Expired = (waiters: [Continuation], abandoned: Flight<Continuation>?, priority: LoadPriority?)
        let (expired, abandoned, priority) = state.withLock { state -> Expired in
            let change = state.change(number, of: id) { flight -> (waiters: [Continuation], isAbandoned: Bool, priority: LoadPriority?) in
                flight.alarm.end(moment)
                let (overdue, next) = flight.expire(at: now)
                if let next { watch(&flight, id, until: next) }
                return (overdue, flight.isAbandoned, flight.isAbandoned ? nil : flight.settledPriority())
            }
            guard let change else { return ([], nil, nil) }
            if change.isAbandoned { ended.add(1, ordering: .releasing) }
            return (change.waiters, change.isAbandoned ? state.remove(number, of: id) : nil, change.priority)
        }
        priority?.tell()
        if !expired.isEmpty {
            let reply = SharedReply(.overdue(name))
            for waiter in expired { waiter.resume(returning: reply) }
        }
        abandoned?.task?.cancel()
    }

    /// The waiter goes on alone, at once. Its load is cancelled where no other waits for it.
    func leave(_ waiter: Waiter) {
        waiter.noteCancellation()
        let (continuation, abandoned, priority) = state.withLock { state in
            defer { ended.add(1, ordering: .releasing) }
            return state.leave(waiter.number, of: waiter.id)
        }
        priority?.tell()
        abandoned?.task?.cancel()
        if let abandoned { cancelAlarm(of: abandoned) }
        continuation?.resume(throwing: CancellationError())
    }
}

extension LoadReply {
    /// The reply for a waiter whose deadline comes before the end of the load.
    fileprivate static func overdue(_ name: String) -> LoadReply {
        let reason = "deadline passed while waiting for a load already running"
        var reply = LoadReply(.failed(isFinal: false), attempts: [Attempt(name, .timeout, reason: reason)])
        reply.obstacle = .deadline
        return reply
    }
}
