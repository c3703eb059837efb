internal import Pipeline
import Synchronization

/// The machine of one origin with what it needs to act: a lock, the requests that wait, and one alarm.
final class Origin: Sendable {
    typealias Waiting = Race<Void>

    private struct State {
        var machine: OriginMachine
        var waiting: [RequestNumber: Waiting] = [:]
        /// The limits of those that ask, by number; the strictest hold.
        var limits: [Int: OriginLimits] = [:]
        var lastLimits = 0
        var alarm = AlarmSlot()
    }

    /// The work that has to be done when the lock is free again.
    private struct Work {
        var resumed: [(waiting: Waiting, number: RequestNumber, refusal: RequestRefusal?)] = []
        var events: [OriginEvent] = []
    }

    let id: OriginID
    let clock: PipelineClock
    private let report: @Sendable (OriginID, OriginEvent) -> Void
    private let state: Mutex<State>

    init(_ id: OriginID, clock: PipelineClock, seed: UInt64, report: @escaping @Sendable (OriginID, OriginEvent) -> Void) {
        self.id = id
        self.clock = clock
        self.report = report
        state = Mutex(State(machine: OriginMachine(OriginLimits(), at: clock.now, seed: seed)))
    }

    var snapshot: OriginSnapshot { state.withLock { $0.machine.snapshot(of: id, at: clock.now) } }

    /// The number of requests that wait or are under way, for tests.
    var leftovers: Int { state.withLock { $0.waiting.count + $0.machine.requests.count + $0.machine.waitingCount } }

    // MARK: Limits

    func add(_ limits: OriginLimits) -> Int {
        changeState { state, now in
            state.lastLimits += 1
            state.limits[state.lastLimits] = limits
            state.machine.limit(to: Self.strictest(state.limits), at: now)
            return state.lastLimits
        }
    }

    func removeLimits(_ number: Int) {
        changeState { state, now in
            state.limits[number] = nil
            // Without any, those of the requests that are still under way stay.
            if !state.limits.isEmpty { state.machine.limit(to: Self.strictest(state.limits), at: now) }
        }
    }

    private static func strictest(_ limits: [Int: OriginLimits]) -> OriginLimits {
        limits.values.reduce(nil as OriginLimits?) { strictest, limits in strictest?.strictest(limits) ?? limits } ?? OriginLimits()
    }

    // MARK: Requests

    func begin(_ demand: RequestDemand) async throws -> RequestPermit {
        try Task.checkCancellation()
        let priority = demand.load?.current ?? .normal
        let (number, waiting) = try changeState { state, now in
            let (number, answer) = state.machine.ask(
                priority, as: demand.asker, deadline: demand.deadline, hedge: demand.hedge, at: now)
            switch answer {
            case .begin: return Result<(RequestNumber, Waiting?), RequestRefusal>.success((number, nil))
            case .refuse(let refusal): return .failure(refusal)
            case .wait:
                let waiting = Waiting()
                state.waiting[number] = waiting
                return .success((number, waiting))
            }
        }.get()
        if let waiting { try await wait(waiting, number, asked: priority, demand) }
        return RequestPermit(number, of: self, demand)
    }

    private func wait(_ waiting: Waiting, _ number: RequestNumber, asked priority: Priority, _ demand: RequestDemand) async throws {
        let load = demand.load
        let observer = load?.observe { [weak self] in self?.move(number, to: $0) }
        defer { if let observer { load?.stopObserving(observer) } }
        // It may have changed before it was observed.
        if let load, load.current != priority { move(number, to: load.current) }
        let begin = clock.now
        let end = demand.deadline.map { RequestDemand.lastTurn(before: $0, since: begin) }
        do {
            try await waiting.value(until: end, on: clock) { self.leave(number, after: end) }
        } catch is PastLimit {
            throw RequestRefusal.outOfTime(waited: clock.now.duration(since: begin))
        }
    }

    private func leave(_ number: RequestNumber, after end: Timestamp?) {
        changeState { state, now in
            guard state.waiting.removeValue(forKey: number) != nil else { return }
            state.machine.leave(number, isLate: end.map { $0 <= now } ?? false, at: now)
        }
    }

    private func move(_ number: RequestNumber, to priority: Priority) {
        changeState { state, now in state.machine.move(number, to: priority, at: now) }
    }

    // MARK: The machine

    /// Changes the machine, and then does what it says: nothing is resumed or reported while the lock is held.
    @discardableResult
    func change<Value>(_ body: (inout OriginMachine, Timestamp) -> sending Value) -> Value {
        changeState { state, now in body(&state.machine, now) }
    }

    @discardableResult
    private func changeState<Value>(_ body: (inout State, Timestamp) -> Value) -> Value {
        var work = Work()
        let value = state.withLock { state in
            // Within the lock: the machine's time never goes back.
            let now = clock.now
            let value = body(&state, now)
            work = takeWork(&state)
            state.alarm.set(at: state.machine.nextMoment(at: now), on: clock) { [weak self] in self?.ring($0) }
            return value
        }
        perform(work)
        return value
    }

    private func takeWork(_ state: inout State) -> Work {
        let effects = state.machine.takeEffects()
        var work = Work(events: effects.events)
        for number in effects.begun {
            if let waiting = state.waiting.removeValue(forKey: number) { work.resumed.append((waiting, number, nil)) }
        }
        for (number, refusal) in effects.refused {
            if let waiting = state.waiting.removeValue(forKey: number) { work.resumed.append((waiting, number, refusal)) }
        }
        return work
    }

    private func perform(_ work: Work) {
        for (waiting, number, refusal) in work.resumed {
            if let refusal {
                waiting.finish(.failure(refusal))
            } else if !waiting.finish(.success(())) {
                // Cancelled at the moment at which it began.
                change { machine, now in machine.end(number, .cancelled, at: now) }
            }
        }
        for event in work.events { report(id, event) }
    }

    private func ring(_ moment: Timestamp) {
        changeState { state, now in
            state.alarm.end(moment)
            state.machine.wake(at: now)
        }
    }
}

extension Duration {
    /// This duration in seconds, fractions kept.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
