public import Pipeline

/// The number of a request at its origin.
public typealias RequestNumber = UInt64

/// All that is decided about one origin: which request begins, which one waits, which one is refused. ``OriginController`` is this machine
/// with a lock, a clock and tasks that wait; a simulation plays the machine alone.
///
/// After each call do what ``takeEffects()`` says, and call ``wake(at:)`` at ``nextMoment(at:)``. Time never goes back.
public struct OriginMachine: Sendable {
    /// The answer that a request gets at once when it asks.
    public enum Answer: Equatable, Sendable {
        /// The request may be sent.
        case begin
        /// ``Effects`` will say when it may be sent.
        case wait
        /// The request may not be sent.
        case refuse(RequestRefusal)
    }

    /// The decisions about requests that waited, and the events that may be reported.
    public struct Effects: Sendable {
        /// The requests that waited, and may be sent now.
        public fileprivate(set) var begun: [RequestNumber] = []
        /// The requests that waited, and may not be sent.
        public fileprivate(set) var refused: [(number: RequestNumber, refusal: RequestRefusal)] = []
        /// The events that a person may want to know.
        public fileprivate(set) var events: [OriginEvent] = []
    }

    /// A request that has a permit. Times are in seconds.
    struct Request {
        let priority: Priority
        let asker: RequestAsker
        let begun: Double
        /// The share of the limit that was under way when it began.
        let use: Double
        let isHedge: Bool
        var head: Double?
        var status = 0
        var isValue = false
        var bytes = 0
        /// The other one of the two, until it is known which was faster.
        var rival: RequestNumber?
        var wasHedged = false
    }

    /// The time between two counts of arriving bytes, in seconds.
    static let tickLength = 0.5
    private static let idleTime = 60.0

    private(set) var limits: OriginLimits
    let start: Timestamp
    var queue = RequestQueue()
    var requests: [RequestNumber: Request] = [:]
    var rests = OriginRests()
    /// The senders of the requests that wait, here or in ``parked``.
    var askers: [RequestNumber: RequestAsker] = [:]
    /// The requests that wait until one of their sender has ended, which is the first after a rest.
    var parked: [RequestAsker: RequestQueue] = [:]
    var adaptive: AdaptiveLimit
    var bucket: TokenBucket?
    var budget: RetryBudget
    var hedging = Hedging()
    var heads = LatencyWindow()
    var wholes = LatencyWindow()
    var failures = FailureShare()
    var service = ServiceRate()
    var tick: (begun: Double, bytes: Int)?
    var receiving = 0
    var lastEnd = 0.0
    private var effects = Effects()
    private var highUnderWay = 0
    private var lowUnderWay = 0
    private var lastNumber: RequestNumber = 0
    private var begunCount = 0
    private var refusedCount = 0
    private var reportedLimit: Int
    private var random: UInt64

    /// A machine that begins at `start`.
    ///
    /// - Parameter seed: decides the lengths of rests that the origin did not name.
    public init(_ limits: OriginLimits, at start: Timestamp, seed: UInt64) {
        self.limits = limits
        self.start = start
        random = seed
        adaptive = AdaptiveLimit(begin: limits.concurrency.bounds.begin, max: limits.concurrency.bounds.most)
        reportedLimit = adaptive.limit
        budget = RetryBudget(part: limits.retryBudget)
        bucket = limits.rate.map { TokenBucket(rate: $0, burst: limits.burst, at: 0) }
    }

    /// The number of requests that may be under way.
    public var limit: Int {
        min(fullLimit, rests.allowed ?? .max)
    }

    /// The number of requests that may be under way if the origin has not just rested.
    var fullLimit: Int { limits.concurrency.isAutomatic ? adaptive.limit : limits.concurrency.bounds.most }

    /// Takes the effects since the last call, which have to be performed.
    public mutating func takeEffects() -> Effects {
        if limit != reportedLimit {
            reportedLimit = limit
            effects.events.append(.limited(to: limit))
        }
        defer { effects = Effects() }
        return effects
    }

    /// Sets other limits.
    public mutating func limit(to limits: OriginLimits, at now: Timestamp) {
        if limits == self.limits { return }
        let time = seconds(now)
        adaptive.limit(begin: limits.concurrency.bounds.begin, max: limits.concurrency.bounds.most)
        if let rate = limits.rate {
            bucket?.limit(rate: rate, burst: limits.burst, at: time)
            bucket = bucket ?? TokenBucket(rate: rate, burst: limits.burst, at: time)
        } else {
            bucket = nil
        }
        budget.part = limits.retryBudget
        self.limits = limits
        pump(at: time)
    }

    /// A request asks for a permit.
    public mutating func ask(
        _ priority: Priority, as asker: RequestAsker = RequestAsker(), deadline: Timestamp?, hedge: HedgePolicy?, at now: Timestamp
    ) -> (RequestNumber, Answer) {
        let time = seconds(now)
        lastNumber += 1
        restartWhenIdle(at: time)
        noticeSilence(at: time)
        if let refusal = resting(asker, at: time) { return (lastNumber, refuse(refusal)) }
        if let hedge { hedging.add(hedge) }
        if !queue.isEmpty { pump(at: time) }
        let isFree = isFree(asker)
        if isFree, mayBegin(priority), bucket?.take(at: time) ?? true {
            begin(lastNumber, priority, as: asker, at: time)
            return (lastNumber, .begin)
        }
        if let refusal = paced(priority, deadline, at: time) ?? tooLate(priority, deadline, at: time) ?? queueFull(priority, at: time) {
            return (lastNumber, refuse(refusal))
        }
        pass(at: time)
        askers[lastNumber] = asker
        if isFree {
            queue.add(lastNumber, priority, deadline: deadline.map(seconds), at: time)
        } else {
            parked[asker, default: RequestQueue()].add(lastNumber, priority, deadline: deadline.map(seconds), at: time)
        }
        return (lastNumber, .wait)
    }

    /// A request that waits is no longer needed.
    ///
    /// - Parameter isLate: it was needed, and its turn did not come in time.
    public mutating func leave(_ number: RequestNumber, isLate: Bool = false, at now: Timestamp) {
        pass(at: seconds(now))
        let asker = askers[number]
        guard remove(number) else { return }
        if isLate { refusedCount += 1 }
        release(asker, at: seconds(now))
        pump(at: seconds(now))
    }

    /// The priority of a request that waits has changed.
    public mutating func move(_ number: RequestNumber, to priority: Priority, at now: Timestamp) {
        queue.move(number, to: priority)
        if let asker = askers[number] { parked[asker]?.move(number, to: priority) }
        pump(at: seconds(now))
    }

    /// The second request of a hedge, where one may begin now.
    public mutating func hedge(_ number: RequestNumber, at now: Timestamp) -> RequestNumber? {
        let time = seconds(now)
        guard let original = requests[number], original.head == nil, !original.wasHedged, !original.isHedge else { return nil }
        guard rests.hold(of: original.asker, at: time) == nil, isFree(original.asker) else { return nil }
        guard (failures.value ?? 0) <= 0.1, time >= hedging.pausedUntil else { return nil }
        guard requests.count < limit, mayBegin(original.priority), hedging.hasToken, budget.hasToken else { return nil }
        guard bucket?.take(at: time) ?? true, budget.take() else { return nil }
        hedging.take()
        lastNumber += 1
        begin(lastNumber, original.priority, as: original.asker, rival: number, at: time)
        requests[number]?.rival = lastNumber
        requests[number]?.wasHedged = true
        return lastNumber
    }

    /// The time a request has alone; nil for no second one.
    public func hedgeDelay(_ policy: HedgePolicy, at now: Timestamp) -> Duration? {
        hedging.delay(policy, heads: heads, at: seconds(now)).map(Duration.seconds)
    }

    /// Does what is due when time has come to ``nextMoment(at:)``.
    public mutating func wake(at now: Timestamp) {
        let time = seconds(now)
        if let tick, time >= tick.begun + Self.tickLength - 1e-6 {
            adaptive.measure(bytes: tick.bytes, in: time - tick.begun, receiving: receiving, underWay: requests.count)
            self.tick = receiving >= 2 || adaptive.ceiling < .infinity ? (time, 0) : nil
        }
        pump(at: time)
    }

    /// The moment when ``wake(at:)`` is due; nil while nothing waits for time to pass.
    public mutating func nextMoment(at now: Timestamp) -> Timestamp? {
        let time = seconds(now)
        var next = tick.map { $0.begun + Self.tickLength } ?? .infinity
        if !queue.isEmpty, let token = bucket?.nextToken(at: time), token > time { next = min(next, token) }
        return next == .infinity ? nil : moment(next)
    }

    /// Lets the origin not be asked before `end`; a moment that is over changes nothing.
    public mutating func rest(until end: Timestamp, at now: Timestamp) {
        guard end > now else { return }
        refuseHeld(by: rests.rest(.origin(isOptional: false), until: seconds(end), at: seconds(now)), at: seconds(now))
    }

    /// The origin answers the one who sent a request nothing more before `end`.
    public mutating func rest(_ number: RequestNumber, until end: Timestamp, at now: Timestamp) {
        guard end > now, let request = requests[number] else { return }
        refuseHeld(by: rests.rest(request.asker, limits.rest, until: seconds(end), at: seconds(now)), at: seconds(now))
    }

    /// The moment until which a request of `asker` may not be sent.
    public func restUntil(for asker: RequestAsker, at now: Timestamp) -> Timestamp? {
        rests.hold(of: asker, at: seconds(now)).map { moment($0.until) }
    }

    /// Ends all rests. Returns how many there were.
    public mutating func endRests(at now: Timestamp) -> Int {
        defer {
            rests = OriginRests()
            release(at: seconds(now))
            pump(at: seconds(now))
        }
        return rests.count(at: seconds(now))
    }

    /// Takes a retry from the budget. False when there is none left.
    public mutating func retryToken() -> Bool { budget.take() }

    /// Gives back the token of a retry that is not sent.
    package mutating func giveBackRetryToken() { budget.giveBack() }

    /// Forgets the measurements, which may no longer hold: the machine has another network.
    public mutating func restart(at now: Timestamp) {
        adaptive.restart()
        service = ServiceRate()
        pump(at: seconds(now))
    }

    /// The state of the origin.
    public func snapshot(of origin: OriginID, at now: Timestamp) -> OriginSnapshot {
        OriginSnapshot(
            origin: origin, limit: limit, underWay: requests.count, waiting: waitingCount,
            restUntil: rests.originEnd(at: seconds(now)).map(moment),
            sourceRests: rests.sources(at: seconds(now)).mapValues(moment),
            p50: wholes.quantile(0.5).map(Duration.seconds), p95: wholes.quantile(0.95).map(Duration.seconds),
            errors: failures.value, budget: budget.tokens, begun: begunCount, refused: refusedCount, hedges: hedging.sent,
            hedgesWon: hedging.wonCount)
    }

    func seconds(_ moment: Timestamp) -> Double {
        let (nanoseconds, isOver) = moment.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        if isOver || moment == .distantFuture { return moment > start ? .infinity : -.infinity }
        return Double(nanoseconds) / 1e9
    }
}

// MARK: - Beginning

extension OriginMachine {
    /// Begins what may begin, in the order of the queue.
    mutating func pump(at now: Double) {
        if queue.isEmpty { return }
        pass(at: now)
        for late in queue.removeLate(at: now, needed: wholes.count >= 20 ? wholes.quantile(0.5) ?? 0 : 0) {
            let left = Duration.seconds(Swift.max(0, (late.deadline ?? now) - now))
            let expected = Duration.seconds(wholes.quantile(0.95) ?? 0)
            refuse(late.number, .tooLate(waiting: queue.count(from: late.priority) + 1, expected: expected, left: left))
            release(askers.removeValue(forKey: late.number), at: now)
        }
        while !queue.isEmpty, bucket?.isFilled(at: now) ?? true {
            // A copy of what the rule needs: the queue is changed meanwhile.
            let (limit, count, isRamp) = (limit, requests.count, rests.allowed != nil)
            let (high, low) = (highUnderWay, lowUnderWay)
            let needed = wholes.quantile(0.95) ?? 0
            let number = queue.next(at: now, needed: needed) {
                Self.mayBegin($0, limit: limit, count: count, high: high, low: low, isRamp: isRamp)
            }
            guard let number, let waiter = queue.remove(number) else { return }
            _ = bucket?.take(at: now)
            begin(number, waiter.priority, as: askers.removeValue(forKey: number) ?? RequestAsker(), at: now)
            effects.begun.append(number)
        }
    }

    private func mayBegin(_ priority: Priority) -> Bool {
        Self.mayBegin(
            priority, limit: limit, count: requests.count, high: highUnderWay, low: lowUnderWay, isRamp: rests.allowed != nil)
    }

    /// Indicates whether the limit leaves room for one more. `high` may always have one under way; `low` and `background` have at most
    /// half.
    private static func mayBegin(_ priority: Priority, limit: Int, count: Int, high: Int, low: Int, isRamp: Bool) -> Bool {
        switch priority {
        case .high: count < limit || (high == 0 && !isRamp)
        case .normal: count < limit
        case .low, .background: count < limit && low < Swift.max(1, limit / 2)
        }
    }

    private mutating func begin(
        _ number: RequestNumber, _ priority: Priority, as asker: RequestAsker, rival: RequestNumber? = nil, at now: Double
    ) {
        requests[number] = Request(
            priority: priority, asker: asker, begun: now, use: Double(requests.count + 1) / Double(limit), isHedge: rival != nil,
            rival: rival)
        count(priority, by: 1)
        begunCount += 1
    }

    mutating func count(_ priority: Priority, by change: Int) {
        switch priority {
        case .high: highUnderWay += change
        case .normal: break
        case .low, .background: lowUnderWay += change
        }
    }

    /// Tells the clock of the service rate whether requests wait since its last reading.
    mutating func pass(at now: Double) { service.pass(isBusy: !queue.isEmpty, at: now) }

    private mutating func restartWhenIdle(at now: Double) {
        guard requests.isEmpty, waitingCount == 0, begunCount > 0, now - lastEnd >= Self.idleTime else { return }
        lastEnd = now
        adaptive.restart()
        rests.forget(before: now - Self.idleTime)
    }
}

extension OriginMachine {
    mutating func report(_ event: OriginEvent) { effects.events.append(event) }

    /// The first moment that is not before `time`, which may be farther away than any moment.
    func moment(_ time: Double) -> Timestamp { start + .nanoseconds(Int64((min(time, 9e9) * 1e9).rounded(.up))) }

    /// A random number from 0 to 1.
    mutating func nextJitter() -> Double {
        random &+= 0x9E37_79B9_7F4A_7C15
        return Double(random.scrambled >> 11) / Double(1 << 53)
    }

    mutating func refuse(_ number: RequestNumber, _ refusal: RequestRefusal) {
        refusedCount += 1
        effects.refused.append((number, refusal))
    }

    private mutating func refuse(_ refusal: RequestRefusal) -> Answer {
        refusedCount += 1
        return .refuse(refusal)
    }
}
