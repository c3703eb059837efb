import Pipeline
import PipelineNetwork
import PipelineTesting
import Testing

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Random arrivals, priorities, ends, failures and cancellations, against a plain list of who waits. `MODEL_MINUTES` plays new seeds for that
/// long, `MODEL_SEED` one alone.
@Suite
struct OriginModelTests {
    private static let stepsPerRun = 1_000

    @Test
    func `no permit is lost, none waits without need, and each begins in its order`() {
        let clock = ContinuousClock()
        let end = setting("MODEL_MINUTES").map { clock.now + .seconds(60 * Int64($0)) }
        var seed = setting("MODEL_SEED") ?? 1
        var steps = 0

        while true {
            var run = OriginModel(seed: seed)
            let failure = run.play(steps: Self.stepsPerRun)
            steps += Self.stepsPerRun
            if let failure { return #expect(Bool(false), "MODEL_SEED=\(seed): \(failure)") }
            seed += 1
            if setting("MODEL_SEED") != nil || end.map({ clock.now >= $0 }) ?? (steps >= 100_000) { break }
        }
        print("model of permits: \(steps) steps")
    }

    private func setting(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}

/// A machine, and what it may do by the words of its rules.
private struct OriginModel {
    private struct Waiter {
        let number: RequestNumber
        var priority: Priority
        var place: Int
        let arrived: Timestamp

        func rank(at now: Timestamp) -> Int {
            min(Priority.high.rawValue, priority.rawValue + Int(now.duration(since: arrived).components.seconds / 10))
        }
    }

    private var random: SplitMix64
    private let limits: OriginLimits
    /// With deadlines the newest may be first: then the order is not compared.
    private let hasDeadlines: Bool
    /// After a rest requests of one asker wait for each other: then the order is not compared, either.
    private let hasRests: Bool
    private var machine: OriginMachine
    private var now = Timestamp(nanoseconds: 0)
    private var waiting: [Waiter] = []
    private var underWay: [RequestNumber: Priority] = [:]
    private var places = 0
    private var firstPlace = 0
    private var evicted: Priority?
    private var failure: String?

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        let isAutomatic = random.chance(50)
        limits = OriginLimits(
            concurrency: isAutomatic ? .auto() : .fixed(1 + random.below(8)), queue: 5 + random.below(60),
            rate: random.chance(25) ? Double(1 + random.below(50)) : nil, burst: 1 + random.below(3))
        hasDeadlines = random.chance(30)
        hasRests = random.chance(40)
        machine = OriginMachine(limits, at: now, seed: seed)
    }

    /// What is wrong; nil when all is as the rules say.
    mutating func play(steps: Int) -> String? {
        for step in 0..<steps {
            self.step()
            check()
            if let failure { return "step \(step): \(failure)" }
        }
        return finish()
    }

    private mutating func step() {
        now = now + .milliseconds([0, 1, 20, 300][random.below(4)])
        switch random.below(100) {
        case ..<45: ask()
        case ..<52: if let waiter = pickWaiting() { leave(waiter) }
        case ..<60: if let waiter = pickWaiting() { move(waiter, to: random.pick(Priority.allCases)) }
        case ..<64: if !underWay.isEmpty { hedge() }
        case ..<97: if !underWay.isEmpty { end() }
        default:
            now = now + .seconds(Int64(random.below(15)))
            machine.wake(at: now)
            take()
        }
        if let next = machine.nextMoment(at: now), next <= now {
            now = now + .nanoseconds(1)
            machine.wake(at: now)
            take()
        }
    }

    private mutating func ask() {
        let priority = random.pick(Priority.allCases)
        let deadline = hasDeadlines && random.chance(70) ? now + .milliseconds(1 + random.below(3_000)) : nil
        let asker = RequestAsker(
            source: hasRests ? random.pick(["a", "b"]) : "", credentials: UInt64(random.below(2)), isOptional: random.chance(30))
        let (number, answer) = machine.ask(priority, as: asker, deadline: deadline, hedge: HedgePolicy(budget: 0.5), at: now)
        evicted = nil
        take()
        switch answer {
        case .begin:
            underWay[number] = priority
            checkBegun(number, priority)
        case .wait:
            if let evicted, evicted >= priority { failure = "\(number) (\(priority)) took the place of a \(evicted) one" }
            places += 1
            waiting.append(Waiter(number: number, priority: priority, place: places, arrived: now))
        case .refuse(.queueFull):
            // No one of less importance waits.
            if waiting.contains(where: { $0.priority < priority }) { failure = "refused while a less important one waits" }
        case .refuse: break
        }
    }

    private mutating func pickWaiting() -> Waiter? { waiting.isEmpty ? nil : random.pick(waiting) }

    private mutating func leave(_ waiter: Waiter) {
        waiting.removeAll { $0.number == waiter.number }
        machine.leave(waiter.number, at: now)
        take()
    }

    private mutating func move(_ waiter: Waiter, to priority: Priority) {
        guard let index = waiting.firstIndex(where: { $0.number == waiter.number }), priority != waiter.priority else { return }
        if priority > waiter.priority { places += 1 } else { firstPlace -= 1 }
        waiting[index].place = priority > waiter.priority ? places : firstPlace
        waiting[index].priority = priority
        machine.move(waiter.number, to: priority, at: now)
        take()
    }

    private mutating func hedge() {
        let number = random.pick(underWay.keys.sorted())
        if let second = machine.hedge(number, at: now) { underWay[second] = underWay[number] }
        take()
    }

    private mutating func end() {
        let number = random.pick(underWay.keys.sorted())
        underWay[number] = nil
        switch random.below(100) {
        case ..<70:
            machine.head(number, status: random.pick([200, 200, 304, 404, 500]), isValue: false, retryAfter: nil, at: now)
            machine.receive(random.below(100_000), of: number)
            machine.end(number, .answered, at: now)
        case ..<76 where hasRests:
            machine.head(
                number, status: random.pick([429, 503]), isValue: false, retryAfter: random.chance(50) ? .seconds(2) : nil, at: now)
            machine.end(number, .answered, at: now)
        default: machine.end(number, random.pick([.cancelled, .failed, .unprocessed, .overtaken]), at: now)
        }
        // A second end does nothing.
        machine.end(number, .answered, at: now)
        take()
    }

    /// What the machine did with those that waited: each begins before all that may begin as well and come later.
    private mutating func take() {
        let effects = machine.takeEffects()
        for (number, refusal) in effects.refused {
            guard waiting.contains(where: { $0.number == number }) else { continue }
            if case .queueFull = refusal {
                let least = waiting.map(\.priority).min()
                let newest = waiting.filter { $0.priority == least }.max { $0.place < $1.place }
                evicted = newest?.priority
                let isNewest = hasRests ? waiting.first { $0.number == number }?.priority == least : newest?.number == number
                if !isNewest { failure = "\(number) was refused, not the newest of the least important" }
            }
            waiting.removeAll { $0.number == number }
        }
        for number in effects.begun {
            guard let index = waiting.firstIndex(where: { $0.number == number }) else {
                failure = "\(number) began and did not wait"
                return
            }
            let begun = waiting.remove(at: index)
            underWay[number] = begun.priority
            checkBegun(number, begun.priority)
            if hasDeadlines || hasRests { continue }
            for other in waiting where isBefore(other, begun) && isFirst(other) && mayBegin(other.priority, where: begun.priority) {
                failure = "\(number) (\(begun.priority)) began before \(other.number) (\(other.priority))"
            }
        }
    }

    /// A request begins within the limit, but for one of high priority; `low` and `background` have half of it.
    private mutating func checkBegun(_ number: RequestNumber, _ priority: Priority) {
        let low = underWay.values.count { $0 <= .low }
        let high = underWay.values.count { $0 == .high }
        if priority <= .low, low > max(1, machine.limit / 2) { failure = "\(number) (\(priority)) is beyond half of the limit" }
        let isExtra = priority == .high && high == 1
        if underWay.count > machine.limit, !isExtra { failure = "\(number) (\(priority)) is beyond the limit" }
    }

    /// The order within a class is that of places, however long each has waited.
    private func isFirst(_ waiter: Waiter) -> Bool { !waiting.contains { $0.priority == waiter.priority && $0.place < waiter.place } }

    private func isBefore(_ one: Waiter, _ other: Waiter) -> Bool {
        if one.priority == other.priority { return one.place < other.place }
        let (rank, otherRank) = (one.rank(at: now), other.rank(at: now))
        return rank > otherRank || (rank == otherRank && one.place < other.place)
    }

    /// Whether a request of this priority may begin where one of the other may.
    private func mayBegin(_ priority: Priority, where other: Priority) -> Bool {
        switch other {
        case .high: priority == .high
        case .normal: priority >= .normal
        case .low, .background: true
        }
    }

    private mutating func check() {
        let snapshot = machine.snapshot(of: OriginID(scheme: "http", host: "a", port: 80), at: now)
        if snapshot.underWay != underWay.count { failure = "\(snapshot.underWay) under way, not \(underWay.count)" }
        if snapshot.waiting != waiting.count { failure = "\(snapshot.waiting) wait, not \(waiting.count)" }
        if waiting.count > limits.queue { failure = "\(waiting.count) wait, more than \(limits.queue)" }
        // A rate may hold them all back, and so does a rest, in which none waits.
        if limits.rate != nil || failure != nil { return }
        if underWay.isEmpty, let waiter = waiting.first { failure = "\(waiter.number) waits for nothing" }
        if hasRests { return }
        let low = underWay.values.count { $0 <= .low }
        for waiter in waiting where underWay.count < snapshot.limit {
            if waiter.priority > .low || low < max(1, snapshot.limit / 2) { failure = "\(waiter.number) waits without need" }
        }
    }

    /// When all has ended, nothing is left.
    private mutating func finish() -> String? {
        for waiter in waiting { leave(waiter) }
        for number in underWay.keys.sorted() {
            machine.end(number, .cancelled, at: now)
            underWay[number] = nil
        }
        check()
        return failure
    }
}
