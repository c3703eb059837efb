import Synchronization

/// A pipeline that runs: fetches values, keeps the flights and generations of its keys.
public final class DataPipeline: Sendable {
    /// What it was built from.
    public let plan: PipelinePlan
    let loader: Loader
    private let load: Loader.Load
    private let probe: Probe?
    private let tiers: [Tier]
    private let written: [TierReference]
    private let hitPath: HitPath?
    /// The running loads, those that fetches wait for first.
    package let flights: [Flights]
    let generations: Generations
    private let clock: PipelineClock
    private let background: BackgroundTasks
    private let closing: Closing
    private let closingID: UInt64
    private let observer: PipelineEvent.Observer?
    let invalidation: Invalidation
    private let member: UInt64
    /// Where this process hears the others; nil when no source of the file tells it anything.
    private let subscriptions: Subscriptions?

    /// - Parameters:
    ///   - invalidation: shared with the same pipeline in other orders.
    ///   - subscriptions: where this process hears the others.
    init(
        _ plan: PipelinePlan, tiers: [Tier], clock: PipelineClock, invalidation: Invalidation, closing: Closing = Closing(),
        observer: PipelineEvent.Observer? = nil, subscriptions: Subscriptions? = nil
    ) {
        self.invalidation = invalidation
        generations = invalidation.generations
        background = invalidation.background
        let confirmation = invalidation.latentConfirmation
        let graph = LoaderGraph(plan, tiers: tiers, clock: clock, generations: generations, confirmation: confirmation)
        self.plan = plan
        self.clock = clock
        loader = graph.loader
        load = graph.load
        probe = graph.probe
        self.tiers = graph.tiers
        written = graph.tiers.filter { $0.isCache && $0.policy.writes }.map { TierReference($0) }
        flights = graph.flights
        hitPath = HitPath(graph.loader, tiers: graph.tiers, clock: clock)
        self.closing = closing
        self.observer = observer
        self.subscriptions = subscriptions
        member = invalidation.join(graph.flights, graph.tiers)
        closingID = closing.add { [flights = graph.flights] in
            for flights in flights { flights.end() }
        }
    }

    /// Begins to hear the others, where a source of this pipeline tells anything, or one of another order that exists.
    private func listen() {
        if let subscriptions, invalidation.confirmation != nil { subscriptions.begin() }
    }

    deinit {
        closing.forget(closingID)
        invalidation.leave(member)
    }

    /// The tiers that keep copies.
    var caches: [Tier] { tiers.filter(\.isCache) }

    /// The key of a fetch with these arguments; keep it where the same one is fetched often.
    public func key(_ arguments: [String: String] = [:]) throws(UsageError) -> Key {
        try plan.key(arguments)
    }

    /// Fetches the value for these arguments. See ``fetch(_:policy:timeout:)``.
    public func fetch(
        _ arguments: [String: String] = [:], policy: FetchPolicy = .default, timeout: Duration? = nil
    ) async throws -> Outcome {
        try await fetch(plan.key(arguments), policy: policy, timeout: timeout)
    }

    /// Fetches the value for `key`: asks the tiers in order, writes the answer back, and says what each did.
    ///
    /// A failure is an outcome, too. Throws `CancellationError` when the task is cancelled, at once, and others who wait for the same
    /// load are not concerned; ``ShutDownError`` when the pipelines were shut down, also meanwhile; and nothing else.
    ///
    /// Fetches of the key that begin meanwhile share the load. They may wait for the task executor that the first one prefers, never for its
    /// actor.
    ///
    /// - Parameter timeout: the time for this fetch; the shorter of it and the pipeline's deadline holds.
    public func fetch(_ key: Key, policy: FetchPolicy = .default, timeout: Duration? = nil) async throws -> Outcome {
        try Task.checkCancellation()
        try closing.check()
        if policy.readsCaches, let outcome = hitPath?.outcome(for: key) { return outcome }
        return try await fetchTheLongWay(key, policy: policy, timeout: timeout)
    }

    private func fetchTheLongWay(_ key: Key, policy: FetchPolicy, timeout: Duration?) async throws -> Outcome {
        switch try way(to: key, policy: policy, timeout: timeout) {
        case .answered(let outcome): outcome
        case .asking(let probe, let departure, let flight): try await outcome(of: departure, asking: probe, leading: flight)
        case .waiting(let departure): try await outcome(of: departure)
        }
    }

    /// How a fetch goes on.
    private enum Way {
        case answered(Outcome)
        /// The flight is begun; a tier has to be waited for before there is a load.
        case asking(Probe, Departure, flight: UInt64)
        case waiting(Departure)
    }

    /// The answer, when it takes no load: memory has it, or the first tiers when they are asked on this thread.
    @inline(never)
    private func way(to key: Key, policy: FetchPolicy, timeout: Duration?) throws(ShutDownError) -> Way {
        listen()
        let start = clock.now
        var request = LoadRequest(key, policy: policy)
        if let reply = loader.immediate?(request) { return .answered(outcome(of: reply, for: key, since: nil)) }
        if let limit = Duration.shorter(plan.policy.deadline, timeout) { request.deadline = start + limit }
        request.background = background
        let id = Flights.ID(key: key, policy: policy)
        // Nothing would end a read on this thread: whoever has a deadline is to have it kept by a task.
        guard let probe, policy.readsCaches, request.deadline == nil || !probe.mayBlock,
            let flight = try flights[0].lead(id)
        else { return .waiting(Departure(id, request, leading: nil, at: start)) }
        switch probe.look(for: &request) {
        case .answer(let reply):
            try flights[0].answer(flight, of: id, with: reply)
            return .answered(outcome(of: reply, for: key, since: start))
        case .wait: return .asking(probe, Departure(id, request, leading: flight, at: start), flight: flight)
        case .load: return .waiting(Departure(id, request, leading: flight, at: start))
        }
    }

    /// Waits for the tier that is asked before a load, and loads when that has no answer to give.
    ///
    /// Not on the caller's actor: others wait for this load, who have nothing to do with what goes on there.
    @concurrent
    private func outcome(of departure: Departure, asking probe: Probe, leading flight: UInt64) async throws -> Outcome {
        let callOff = try flights[0].callOff(of: flight, of: departure.id)
        var request = departure.request
        guard let reply = await probe.wait(&request, unless: callOff) else {
            return try await outcome(of: Departure(departure.id, request, leading: flight, at: departure.start))
        }
        try flights[0].answer(flight, of: departure.id, with: reply)
        return outcome(of: reply, for: departure.id.key, since: departure.start)
    }

    /// Joins the load of the key, or starts it. One that ended at the shorter deadline of somebody else is started anew.
    @inline(never)
    private func outcome(of first: Departure) async throws -> Outcome {
        var departure = first
        while true {
            let landing = try await flights[0].join(departure, load: load)
            guard let next = departure.again(after: landing, at: clock.now) else { return outcome(of: departure, landing) }
            departure = next
        }
    }

    @inline(never)
    private func outcome(of departure: Departure, _ landing: Landing) -> Outcome {
        outcome(of: landing.reply, for: departure.id.key, since: departure.start)
    }

    /// - Parameter start: when the fetch began; nil for one that waited for nothing.
    @inline(never)
    private func outcome(of reply: LoadReply, for key: Key, since start: Timestamp?) -> Outcome {
        if reply.wantsRefresh { refresh(key, from: reply) }
        let outcome = Outcome(reply, for: key, at: clock.now)
        if let observer {
            let duration = start.map { outcome.ended.duration(since: $0) } ?? .zero
            observer(.fetch(FetchSummary(outcome, after: duration), key: key))
        }
        return outcome
    }

    /// Loads the value anew in the background: one refresh for each key, which outlives the fetch that asked for it.
    private func refresh(_ key: Key, from reply: LoadReply) {
        background.start(key) { [self] in
            var request = LoadRequest(key, policy: .refresh, deadline: plan.policy.deadline.map { clock.now + $0 })
            // What was served is known: an origin that can is only asked whether it still holds.
            if let entry = reply.entry, let source = reply.source {
                request.expired = [ExpiredCopy(source: source, entry: entry, since: clock.now)]
            }
            request.renews = true
            let begin = clock.now
            guard let reply = try? await loader.load(request), let observer else { return }
            let outcome = Outcome(reply, for: key, at: clock.now)
            observer(.refresh(FetchSummary(outcome, after: outcome.ended.duration(since: begin)), key: key))
        }
    }

    /// Stores `payload` for `key` in every cache of the pipeline, as if an origin had just given it. Loads that run write nothing.
    ///
    /// Memory holds it when this returns, slower caches later, and fetches find it there at once: ``WriteLog/settle()`` waits for those
    /// that nothing delays. It comes after a removal of the key that goes on, and waits for that. A cache that cannot be written is in the
    /// log, and does not answer with what it held before. One that only another order of the pipeline has forgets its copy. Throws
    /// ``SourceError`` for a payload that is not of the pipeline's format or larger than its `max_size`, ``ShutDownError`` when the pipelines
    /// were shut down, and `CancellationError`. Other processes are told when the cache they share has taken it.
    public func put(_ payload: [UInt8], for key: Key, contentType: String? = nil) async throws -> WriteLog {
        try closing.check()
        let maxSize = plan.policy.maxSize
        guard payload.count <= maxSize.bytes else {
            throw SourceError(invalid: "the payload is larger than max_size of the pipeline (\(maxSize.words))")
        }
        if let problem = plan.policy.format.problem(of: payload) { throw SourceError(invalid: problem) }
        listen()
        let entry = Entry(payload, created: clock.now, contentType: contentType)
        let log = WriteLog()
        let others = invalidation.caches(besides: tiers)
        try await invalidation.replace(key) { permit in
            var request = LoadRequest(key, policy: .refresh)
            request.permit = permit
            request.renews = true
            for cache in written where cache.tier.isImmediate { await cache.store(entry, for: request, log: log) }
            for cache in written where !cache.tier.isImmediate { await cache.store(entry, for: request, log: log) }
            for tier in others { await tier.forget(request, because: "not in this order", log: log) }
        }
        for tier in tiers + others where tier.isCache { tier.publishChange(of: key, log: log) }
        return log
    }

    /// Forgets the value for these arguments in every cache. See ``remove(_:)``.
    public func remove(_ arguments: [String: String]) async throws -> RemovalReport {
        try await remove(plan.key(arguments))
    }

    /// Forgets the value for `key` in every cache, slow ones before fast ones, and tells other processes where a source announces that.
    /// A load that runs meanwhile writes nothing. It is made to its end even when the caller is cancelled, who then learns in every line of
    /// the report that nobody waited for it.
    public func remove(_ key: Key) async throws(ShutDownError) -> RemovalReport {
        try closing.check()
        return await invalidation.remove(.key(key))
    }

    /// Forgets every value of this pipeline in every cache, as ``remove(_:)`` forgets one. Loads that run meanwhile write nothing.
    public func clear() async throws(ShutDownError) -> RemovalReport {
        try closing.check()
        return await invalidation.remove(.pipeline(plan.name))
    }

    /// What each cache of the pipeline holds, in the order of the tiers, expired copies included.
    ///
    /// Values that still wait to be written are not listed. A cache that cannot be asked is in the report with the reason.
    ///
    /// - Parameter limit: the most copies to list of each cache, at least 1.
    public func contents(limit: Int = 100) async throws -> [TierContents] {
        try closing.check()
        var report: [TierContents] = []
        for tier in tiers where tier.isCache {
            try Task.checkCancellation()
            report.append(await tier.contents(of: plan.name, limit: max(1, limit)))
        }
        return report
    }

    /// Writes what waits for `key`, and returns when each cache holds it or has failed to take it.
    public func flush(_ key: Key) async throws(ShutDownError) {
        try closing.check()
        for tier in tiers { await tier.queue?.flush(key) }
    }

    /// Ends what runs in the background.
    func stop() {
        background.cancelAll()
    }

    /// Whether a refresh or a load in the background runs, or is held.
    package var hasBackgroundWork: Bool { background.hasWork }

    /// From now on no refresh starts before ``startHeldRefreshes()``: a process that is about to end can leave them to another.
    package func holdRefreshes() {
        background.hold()
    }

    /// Starts the refreshes that were held; later ones start at once.
    package func startHeldRefreshes() {
        background.startHeld()
    }

    /// How many loads run now.
    package var loadsUnderWay: Int { flights[0].count }

    /// The circuits of the tiers that have one.
    package var circuits: [(source: String, state: CircuitState)] {
        tiers.compactMap { tier in tier.breaker.map { (tier.name, $0.reading) } }
    }

    /// Waits for what runs in the background: refreshes, and loads that go on after a soft timeout.
    public func finishRefreshes() async {
        await background.finishAll()
    }
}
