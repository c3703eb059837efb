import Pipeline
import PipelineNetwork

/// Plays requests against a ``SimulatedLink`` under the machine of an origin. The same seed gives the same run.
struct LinkSimulation {
    /// A request that a client makes.
    struct Demand {
        var at = 0.0
        var bytes = 1_000
        var priority = Priority.normal
        /// The client gives up so long after it asked.
        var patience: Double?
        var hedge: HedgePolicy?
        /// How often it is tried.
        var attempts = 1
        /// Whether each further attempt takes a token of the origin's budget.
        var isBudgeted = true
    }

    /// What came of a demand.
    struct Result {
        let demand: Demand
        var begun: Double?
        /// When the answer was there; nil for a failure.
        var ended: Double?
        var tries = 0
        var time: Double? { ended.map { $0 - demand.at } }
    }

    /// The controller at one moment.
    struct Moment {
        let time: Double
        let limit: Int
        let underWay: Int
        let waiting: Int
    }

    private enum Event {
        case ask(Int)
        case arrive(RequestNumber)
        case served(RequestNumber)
        case head(RequestNumber)
        case refused(RequestNumber, Int)
        case failed(RequestNumber)
        case delivered(Int)
        case hedge(RequestNumber)
        case giveUp(Int)
        case wake
        case lineChange
    }

    private struct Sent {
        let demand: Int
        let begun: Double
        /// Where its body ends on the line's own time.
        var bodyEnd: Double?
        var counted = 0.0
        /// The first request, where this one is a hedge.
        var first: RequestNumber?
    }

    private static let start = Timestamp(nanoseconds: 0)

    let link: SimulatedLink
    private(set) var machine: OriginMachine
    private(set) var results: [Result] = []
    private(set) var moments: [Moment] = []
    private(set) var sentCount = 0
    private(set) var refusals = 0
    private(set) var pushBacks = 0
    private(set) var now = 0.0
    private var random: RandomGenerator
    private var events = EventQueue<Event>()
    private var sent: [RequestNumber: Sent] = [:]
    private var waiting: [RequestNumber: Int] = [:]
    private var hedges: [RequestNumber: RequestNumber] = [:]
    private var busy = 0
    private var backlog: [RequestNumber] = []
    private var backlogHead = 0
    private var recent: [Double] = []
    private var wakeAt = Double.infinity

    // The line: its own time runs at the share that each body gets.
    private var bodies: [(end: Double, number: RequestNumber)] = []
    private var lineTime = 0.0
    private var lineRead = 0.0
    private var lineEpoch = 0

    init(_ link: SimulatedLink, _ limits: OriginLimits = OriginLimits(), seed: UInt64 = 1) {
        self.link = link
        random = .seeded(seed)
        machine = OriginMachine(limits, at: Self.start, seed: seed)
    }

    private var moment: Timestamp { Self.start + .nanoseconds(Int64(now * 1e9)) }

    /// Plays until everything has ended, or until `end`.
    ///
    /// - Parameter lineChanges: when the bandwidth changes.
    mutating func run(_ demands: [Demand], until end: Double = .infinity, lineChanges: [Double] = []) {
        results = demands.map { Result(demand: $0) }
        for (index, demand) in demands.enumerated() { events.add(.ask(index), at: demand.at) }
        for change in lineChanges { events.add(.lineChange, at: change) }
        while let (time, event) = events.popFirst(), time <= end {
            now = time
            play(event)
            react()
        }
    }

    private mutating func play(_ event: Event) {
        switch event {
        case .ask(let index): ask(index)
        case .arrive(let number): arrive(number)
        case .served(let number): served(number)
        case .head(let number): head(number)
        case .refused(let number, let status): refuse(number, status)
        case .failed(let number): if sent[number] != nil { finish(number, .failed) }
        case .delivered(let epoch): if epoch == lineEpoch { deliver() }
        case .hedge(let number): hedge(number)
        case .giveUp(let index): giveUp(index)
        case .wake: wake()
        case .lineChange: readLine()
        }
        if case .lineChange = event { scheduleLine() }
    }

    /// Does what the machine says.
    private mutating func react() {
        let effects = machine.takeEffects()
        for number in effects.begun { if let index = waiting.removeValue(forKey: number) { send(number, index) } }
        for (number, _) in effects.refused {
            refusals += 1
            if let index = waiting.removeValue(forKey: number), results[index].demand.patience == nil {
                events.add(.ask(index), at: now + 0.2)
            }
        }
        if let next = machine.nextMoment(at: moment) {
            let time = Double(next.nanoseconds) / 1e9
            if time < wakeAt {
                wakeAt = time
                events.add(.wake, at: time)
            }
        }
        let snapshot = (limit: machine.limit, underWay: sent.count, waiting: waiting.count)
        if let last = moments.last, last.limit == snapshot.limit, now - last.time < 0.05 { return }
        moments.append(Moment(time: now, limit: snapshot.limit, underWay: snapshot.underWay, waiting: snapshot.waiting))
    }

    // MARK: The client

    private mutating func ask(_ index: Int) {
        let demand = results[index].demand
        let left = demand.patience.map { demand.at + $0 }
        if let left, now >= left { return }
        let deadline = left.map { Self.start + .nanoseconds(Int64($0 * 1e9)) }
        let (number, answer) = machine.ask(demand.priority, deadline: deadline, hedge: demand.hedge, at: moment)
        switch answer {
        case .begin: send(number, index)
        case .wait:
            waiting[number] = index
            if let left { events.add(.giveUp(index), at: left) }
        case .refuse(.resting(let until, _, _)) where demand.patience == nil:
            refusals += 1
            events.add(.ask(index), at: Swift.max(now + 0.001, Double(until.nanoseconds) / 1e9))
        case .refuse:
            refusals += 1
            if demand.patience == nil { events.add(.ask(index), at: now + 0.2) }
        }
    }

    /// What is still under way when its time is over is cancelled, as a caller's deadline does.
    private mutating func giveUp(_ index: Int) {
        if let number = waiting.first(where: { $0.value == index })?.key {
            waiting[number] = nil
            machine.leave(number, at: moment)
        }
    }

    private mutating func send(_ number: RequestNumber, _ index: Int) {
        results[index].begun = results[index].begun ?? now
        results[index].tries += 1
        depart(number, index, first: nil)
        if let hedge = results[index].demand.hedge, let delay = machine.hedgeDelay(hedge, at: moment) {
            events.add(.hedge(number), at: now + delay.inSeconds)
        }
    }

    private mutating func depart(_ number: RequestNumber, _ index: Int, first: RequestNumber?) {
        sentCount += 1
        sent[number] = Sent(demand: index, begun: now, first: first)
        if link.mostInASecond < .max { recent = recent.filter { $0 > now - 1 } + [now] }
        if link.isDown(now) {
            events.add(.failed(number), at: now + link.roundTrip)
        } else if link.loss > 0, Double.random(in: 0..<1, using: &random) < link.loss {
            events.add(.failed(number), at: now + 1)
        } else if sent.count > link.mostAtOnce {
            events.add(.refused(number, 503), at: now + link.roundTrip)
        } else if recent.count > link.mostInASecond {
            events.add(.refused(number, 429), at: now + link.roundTrip)
        } else {
            events.add(.arrive(number), at: now + link.roundTrip / 2)
        }
    }

    private mutating func hedge(_ number: RequestNumber) {
        guard let request = sent[number], request.bodyEnd == nil, let second = machine.hedge(number, at: moment) else { return }
        hedges[number] = second
        depart(second, request.demand, first: number)
    }

    private mutating func finish(_ number: RequestNumber, _ outcome: RequestOutcome) {
        guard let request = sent.removeValue(forKey: number) else { return }
        machine.end(number, outcome, at: moment)
        hedges[number] = nil
        guard outcome == .failed, request.first == nil else { return }
        let result = results[request.demand]
        if result.tries < result.demand.attempts, !result.demand.isBudgeted || machine.retryToken() {
            events.add(.ask(request.demand), at: now + 0.001)
        }
    }

    private mutating func refuse(_ number: RequestNumber, _ status: Int) {
        pushBacks += 1
        machine.head(number, status: status, isValue: false, retryAfter: nil, at: moment)
        let index = sent[number]?.demand
        finish(number, .answered)
        if let index { events.add(.ask(index), at: now + 0.2) }
    }

    private mutating func wake() {
        wakeAt = .infinity
        readLine()
        machine.wake(at: moment)
    }

    // MARK: The server

    private mutating func arrive(_ number: RequestNumber) {
        if busy < link.workers {
            busy += 1
            serve(number)
        } else {
            backlog.append(number)
        }
    }

    private mutating func serve(_ number: RequestNumber) {
        let extra = sent[number].map { link.serviceOfDemand($0.demand) } ?? 0
        events.add(.served(number), at: now + link.service(&random) + link.delay(now) + extra)
    }

    private mutating func served(_ number: RequestNumber) {
        if backlogHead < backlog.count {
            serve(backlog[backlogHead])
            backlogHead += 1
        } else {
            busy -= 1
        }
        events.add(.head(number), at: now + link.roundTrip / 2)
    }

    // MARK: The line

    private mutating func head(_ number: RequestNumber) {
        guard var request = sent[number] else { return }
        // The other request of a hedge is called off by the first head.
        if let first = request.first, sent[first] != nil {
            finish(first, .overtaken)
        } else if let second = hedges[number], sent[second] != nil {
            finish(second, .cancelled)
        }
        readLine()
        let end = lineTime + Double(Swift.max(1, results[request.demand].demand.bytes))
        request.bodyEnd = end
        request.counted = lineTime
        sent[number] = request
        machine.head(number, status: 200, isValue: false, retryAfter: nil, at: moment)
        bodies.insert((end, number), at: bodies.firstIndex { $0.end > end } ?? bodies.count)
        scheduleLine()
    }

    /// Brings the line up to now, and reports what has arrived.
    private mutating func readLine() {
        if !bodies.isEmpty { lineTime += (now - lineRead) * link.bandwidth(lineRead) / Double(bodies.count) }
        lineRead = now
        for (end, number) in bodies {
            guard let counted = sent[number]?.counted else { continue }
            let arrived = min(lineTime, end)
            machine.receive(Int(arrived) - Int(counted), of: number)
            sent[number]?.counted = arrived
        }
    }

    private mutating func scheduleLine() {
        lineEpoch += 1
        guard let first = bodies.first else { return }
        let time = Swift.max(0, first.end - lineTime) * Double(bodies.count) / link.bandwidth(now)
        events.add(.delivered(lineEpoch), at: now + time)
    }

    private mutating func deliver() {
        readLine()
        let count = bodies.firstIndex { $0.end > lineTime + 0.01 } ?? bodies.count
        let done = bodies[..<count].map(\.number)
        bodies.removeFirst(count)
        scheduleLine()
        for number in done {
            if let index = sent[number]?.demand { results[index].ended = now }
            finish(number, .answered)
        }
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
