/// A pipeline that runs: fetches values, keeps the flights and generations of its keys.
public final class DataPipeline: Sendable {
    /// The specification that it was made from.
    package let spec: PipelineSpec
    package let sources: SourceSet
    let keys: KeyMaker
    let loader: Loader
    let load: Loader.Load
    package let tiers: [Tier]
    let written: [TierReference]
    package let hitPath: HitPath?
    let promptPath: PromptPath?
    /// The running loads, those that fetches wait for first.
    package let flights: [Flights]
    /// Those that fetches wait for.
    let waiting: Flights
    package let generations: Generations
    package let clock: PipelineClock
    package let background: BackgroundTasks
    package let followers: Followers
    /// Indicates whether it has more than tiers: only then something may know more of its keys than their copies say.
    @usableFromInline let hasAdditions: Bool
    /// Indicates whether its values are made from those of others.
    package let asksOthers: Bool
    /// The caches that a merged value is written to.
    private let merged: [TierReference]
    let closing: Closing
    private let closingID: UInt64
    let observer: PipelineEvent.Observer?
    package let invalidation: Invalidation
    private let member: UInt64
    /// Where this process subscribes to the others; nil when no source has messages.
    private let subscriptions: Subscriptions?

    /// Makes the pipeline of `spec`, alone with its sources. Nothing is opened before it is used; ``shutDown(within:)`` ends it.
    ///
    /// Throws ``UsageError`` when two different sources have one name, or the pipeline names what it does not have. Pipelines that share
    /// sources are made at once, with ``Pipelines``.
    ///
    /// - Parameters:
    ///   - random: what jitter draws from. One with a seed makes a run repeatable.
    ///   - redactor: masks what is secret in traces, events and reports.
    ///   - observers: receive events, in this order. Without any, no event is made.
    public convenience init(
        _ spec: PipelineSpec, clock: PipelineClock = .system, random: RandomGenerator = .system, redactor: Redactor = Redactor(),
        observers: [PipelineEvent.Observer] = []
    ) throws(UsageError) {
        let sources = try SourceSet(of: [spec], and: [], clock: clock, random: random, redactor: redactor, observers: observers)
        self.init(spec, of: sources, sources.invalidation(of: spec.name))
    }

    /// - Parameter invalidation: shared with the same pipeline in other orders.
    init(_ spec: PipelineSpec, of sources: SourceSet, _ invalidation: Invalidation) {
        let parts = sources.parts(of: spec, invalidation)
        self.spec = spec
        self.sources = sources
        keys = KeyMaker(spec)
        self.invalidation = invalidation
        generations = invalidation.generations
        background = invalidation.background
        followers = invalidation.followers
        clock = parts.clock
        let graph = LoaderGraph(
            parts.order, tiers: parts.tiers, clock: clock, confirmation: invalidation.latentConfirmation, of: invalidation)
        loader = graph.loader
        load = graph.load
        tiers = graph.tiers
        hasAdditions = !spec.additions.isEmpty
        asksOthers = tiers.contains { $0.capabilities.contains(.asksOthers) }
        written = graph.tiers.filter { $0.isCache && $0.policy.writes }.map { TierReference($0) }
        let targets = parts.order.targetsOfOrigins
        merged = written.filter { targets.contains($0.tier.name) }
        (flights, waiting) = (graph.flights, graph.flights[0])
        hitPath = HitPath(
            graph.tiers, storingFirstIn: Array(parts.order.tiers.first?.writesBackTo ?? []), flights: graph.flights[0],
            followers: followers, closing: parts.closing, permitting: graph.permit)
        promptPath = PromptPath(graph.tiers)
        closing = parts.closing
        observer = parts.observer
        subscriptions = parts.subscriptions
        member = invalidation.join(graph.flights, graph.tiers)
        closingID = closing.add { [flights = graph.flights, background = invalidation.background, followers] in
            followers.succeed(.end)
            for flights in flights { flights.end() }
            background.cancelAll()
        }
    }

    /// Subscribes to the messages of others, where a source of this pipeline publishes any, or a source of another order that exists.
    func subscribe() {
        if let subscriptions, invalidation.confirmation != nil { subscriptions.begin() }
    }

    deinit {
        closing.forget(closingID)
        invalidation.leave(member)
    }

    /// The tiers that keep copies.
    var caches: [Tier] { tiers.filter(\.isCache) }

    /// Whether answers of its origins are kept where they outlive the process.
    package var keepsValues: Bool { merged.contains { $0.tier.outlivesProcess && $0.tier.policy.reads } }

    /// The key of a fetch with these arguments; keep it where the same one is fetched often.
    public func key(_ arguments: [String: String] = [:]) throws(UsageError) -> Key {
        try keys.key(arguments)
    }

    /// The key of a fetch with these arguments; of a single one, no dictionary is made.
    @usableFromInline
    package func key(of arguments: Arguments) throws(UsageError) -> Key { try keys.key(arguments) }

    /// Throws when the pipelines were shut down.
    func checkOpen() throws(ShutDownError) { try closing.check() }

    /// The fresh copy of `key` that memory has at hand, where no feed can make it older than its value.
    func fresh(_ key: Key) -> Outcome? {
        var looked: Looked?
        return hasAdditions && followers.follow(key) ? nil : hitPath?.outcome(for: key, noting: &looked)
    }

    /// The copy of `key` that memory has at hand, when that is an answer. Nothing is loaded.
    package func atHand(_ key: Key) -> Outcome? {
        var looked: Looked?
        return closing.isClosed ? nil : hitPath?.outcome(for: key, noting: &looked)
    }

    /// Loads the value from its origins, by a load that begins now, and writes it back. Fetches that come meanwhile wait for it. Ends when the
    /// load does, however that is.
    ///
    /// - Parameter entry: the present value, where its origin can confirm it.
    package func loadAnew(_ key: Key, confirming entry: Entry?) async {
        invalidation.detach(.key(key))
        let call = call(Call.ID(key: key, policy: .refresh, purpose: .change), priority: spec.policy.priority)
        _ = try? await loader(call, after: Trail(knowing: entry, from: entry?.source, at: clock.now))
    }

    /// What the caches have of `key`, also expired copies. No origin is asked.
    package func cached(_ key: Key) async -> LoadReply? {
        try? await loader(call(Call.ID(key: key, policy: .cacheOnly), priority: spec.policy.priority))
    }

    /// A call with the deadline that the pipeline has.
    private func call(_ id: Call.ID, priority: Priority, as member: Gathering.Member? = nil) -> Call {
        Call(id, deadline: spec.policy.deadline.map { clock.now + $0 }, priority: priority, as: member)
    }

    /// Hands a value that changes were merged into to every cache that an origin's answer goes to.
    ///
    /// - Parameter landed: when the value that they were merged into was stored.
    package func store(merged entry: Entry, landed: Timestamp, for key: Key, _ permit: Generations.WritePermit) async {
        // A change that cannot be written leaves the copy from before.
        let call = Call(Call.ID(key: key, policy: .refresh, purpose: .change), deadline: nil)
        let log = WriteLog()
        for cache in merged { await cache.store(merged: entry, landed: landed, for: call, Standing(permit), log: log) }
        await followers.tell(.key(key), to: entry, by: .merge)
    }

    /// Loads the value again in the background: one refresh for each key, which outlives the fetch that asked for it. Returns whether it
    /// started.
    @discardableResult
    func refresh(_ key: Key, from reply: LoadReply, as member: Gathering.Member? = nil) -> Bool {
        background.start(key) { [self] in
            defer { member?.leave() }
            let call = call(Call.ID(key: key, policy: .refresh, purpose: .renewal), priority: .background, as: member)
            let begin = clock.now
            let served = Trail(knowing: reply.base, from: reply.source, at: begin)
            guard let reply = try? await loader(call, after: served), let observer else { return }
            let outcome = Outcome(reply, for: key, at: clock.now)
            observer(.refresh(outcome, duration: outcome.ended.duration(since: begin)))
        }
    }

    /// The contents of each cache of the pipeline, in the order of the tiers, expired copies included.
    ///
    /// Values that still wait to be written are not listed. A cache that cannot be asked is in the report with the reason.
    ///
    /// - Parameter limit: the most copies to list of each cache, at least 1.
    package func contents(limit: Int = 100) async throws -> [TierContents] {
        try closing.check()
        var report: [TierContents] = []
        for tier in tiers where tier.isCache {
            try Task.checkCancellation()
            report.append(await tier.contents(of: spec.name, limit: max(1, limit)))
        }
        return report
    }

    /// Writes what waits for `key`, and returns when each cache holds it or has failed to take it.
    public func flush(_ key: Key) async throws(ShutDownError) {
        try closing.check()
        try? await followers.settle(key)
        for tier in tiers { await tier.queue?.flush(key) }
    }

    /// Ends this pipeline, and those that were made together with it: see ``Pipelines/shutDown(within:)``.
    ///
    /// - Returns: the keys that could not be written, by source.
    @discardableResult
    public func shutDown(within limit: Duration = .seconds(5)) async -> [UnwrittenKeys] {
        await sources.shutDown(within: limit)
    }
}
