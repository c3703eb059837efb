import Pipeline
import PipelineNetwork

/// A machine, and the time that a test moves. Collects what the machine says.
struct MachinePlay {
    private(set) var machine: OriginMachine
    private(set) var now = Timestamp(nanoseconds: 0)
    private(set) var begun: [RequestNumber] = []
    private(set) var refused: [RequestNumber: RequestRefusal] = [:]
    private(set) var events: [OriginEvent] = []

    init(_ limits: OriginLimits = OriginLimits(), seed: UInt64 = 1) { machine = OriginMachine(limits, at: now, seed: seed) }

    var limit: Int { machine.limit }
    var snapshot: OriginSnapshot { machine.snapshot(of: OriginID(scheme: "http", host: "a.example", port: 80), at: now) }

    var nextMoment: Timestamp? {
        mutating get { machine.nextMoment(at: now) }
    }

    /// Moves on, with every moment on the way at which the machine wants to be woken.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let next = machine.nextMoment(at: now), next <= end {
            now = max(next, now + .nanoseconds(1))
            machine.wake(at: now)
            collect()
        }
        now = max(now, end)
    }

    @discardableResult
    mutating func ask(
        _ priority: Priority = .normal, as asker: RequestAsker = RequestAsker(), within patience: Duration? = nil, hedge: HedgePolicy? = nil
    ) -> RequestNumber {
        let (number, answer) = machine.ask(priority, as: asker, deadline: patience.map { now + $0 }, hedge: hedge, at: now)
        collect()
        switch answer {
        case .begin: begun.append(number)
        case .wait: break
        case .refuse(let refusal): refused[number] = refusal
        }
        return number
    }

    /// Why a request of `asker` is refused at once.
    mutating func refusal(of asker: RequestAsker) -> RequestRefusal? {
        let number = ask(as: asker)
        return refused[number]
    }

    mutating func limit(to limits: OriginLimits) {
        machine.limit(to: limits, at: now)
        collect()
    }

    mutating func rest(until moment: Timestamp) {
        machine.rest(until: moment, at: now)
        collect()
    }

    /// The rest of whoever asks without a name.
    var rest: Timestamp? { restUntil(RequestAsker()) }

    func restUntil(_ asker: RequestAsker) -> Timestamp? { machine.restUntil(for: asker, at: now) }

    mutating func endRests() -> Int {
        defer { collect() }
        return machine.endRests(at: now)
    }

    mutating func leave(_ number: RequestNumber) {
        machine.leave(number, at: now)
        collect()
    }

    mutating func move(_ number: RequestNumber, to priority: Priority) {
        machine.move(number, to: priority, at: now)
        collect()
    }

    mutating func end(_ number: RequestNumber, _ outcome: RequestOutcome) {
        machine.end(number, outcome, at: now)
        collect()
    }

    /// The whole answer, with this status.
    mutating func answer(_ number: RequestNumber, _ status: Int = 200, retryAfter: Duration? = nil) {
        machine.head(number, status: status, isValue: false, retryAfter: retryAfter, at: now)
        end(number, .answered)
    }

    mutating func head(_ number: RequestNumber, _ status: Int = 200) {
        machine.head(number, status: status, isValue: false, retryAfter: nil, at: now)
        collect()
    }

    mutating func hedge(_ number: RequestNumber) -> RequestNumber? { machine.hedge(number, at: now) }
    mutating func hedgeDelay(_ policy: HedgePolicy) -> Duration? { machine.hedgeDelay(policy, at: now) }
    mutating func retryToken() -> Bool { machine.retryToken() }
    mutating func giveBackRetryToken() { machine.giveBackRetryToken() }

    /// So many answered requests, one after the other, of this time each.
    mutating func answers(_ count: Int, in time: Duration = .milliseconds(10), status: Int = 200, hedge: HedgePolicy? = nil) {
        for _ in 0..<count {
            let number = ask(hedge: hedge)
            pass(time)
            answer(number, status)
        }
    }

    private mutating func collect() {
        let effects = machine.takeEffects()
        begun += effects.begun
        for (number, refusal) in effects.refused { refused[number] = refusal }
        events += effects.events
    }
}
