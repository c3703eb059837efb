/// The pipelines of one configuration, with the sources they share.
public final class Pipelines: Sendable {
    /// What it was built from.
    public let plan: Plan
    private let pipelines: [String: DataPipeline]
    private let sources: [String: any Source]
    private let queues: [String: WriteQueue]
    private let clock: PipelineClock
    private let random: RandomGenerator
    /// Masks what is secret in texts about what happens here.
    package let redactor: Redactor
    private let closing = Closing()
    private let observer: PipelineEvent.Observer?
    private let subscriptions: Subscriptions?

    /// Builds what `report` planned. Makes every source; nothing is opened before it is used.
    ///
    /// Throws ``ConfigError`` when the report has errors, and what a plugin throws when it cannot make its source.
    ///
    /// - Parameters:
    ///   - random: what jitter and memory caches draw from. One with a seed makes a run repeatable.
    ///   - observers: are told of what happens, in this order. Without any, nothing is made to be told.
    public init(
        _ report: ConfigReport, clock: PipelineClock = .system, random: RandomGenerator = .system,
        observers: [PipelineEvent.Observer] = []
    ) throws {
        guard !report.diagnostics.hasErrors else { throw ConfigError(report.diagnostics) }
        plan = report.plan
        self.clock = clock
        self.random = random
        redactor = report.redactor
        let observer = Self.merged(observers)
        self.observer = observer
        var sources: [String: any Source] = [:]
        for source in report.plan.sources {
            sources[source.name] = try source.making?(
                SourceContext(name: source.name, clock: clock, random: random, longestStale: report.plan.longestStale(of: source.name)) {
                    [name = source.name] in observer?(.eviction(source: name, key: $0))
                })
        }
        self.sources = sources
        queues = Self.queues(of: sources, plan, clock: clock)
        subscriptions = Subscriptions(sources, redactor: redactor, observer: observer)
        var pipelines: [String: DataPipeline] = [:]
        for pipeline in report.plan.pipelines {
            let invalidation = Invalidation(
                pipeline: pipeline.name, clock: clock, maySubscribe: subscriptions != nil, observer: observer)
            subscriptions?.add(invalidation, to: pipeline.tiers.map(\.source.name))
            let tiers = Self.tiers(
                of: pipeline, sources: sources, queues: queues, clock: clock, random: random, redactor: redactor, observer: observer,
                confirmation: invalidation.latentConfirmation)
            pipelines[pipeline.name] = DataPipeline(
                pipeline, tiers: tiers, clock: clock, invalidation: invalidation, closing: closing, observer: observer,
                subscriptions: subscriptions)
        }
        self.pipelines = pipelines
    }

    /// The pipeline called `name`.
    public subscript(name: String) -> DataPipeline {
        get throws(UsageError) {
            guard let pipeline = pipelines[name] else {
                throw .unknownPipeline(name, known: plan.pipelines.map(\.name))
            }
            return pipeline
        }
    }

    /// The pipeline called `name`, asking these sources in this order instead. Sources and copies are shared with the original: what is
    /// removed from one is removed from both, also from caches that only one of them has.
    ///
    /// Make it once where it is fetched from often: fetches of two that were made alike do not share a load.
    public func pipeline(_ name: String, asking order: [String]) throws(UsageError) -> DataPipeline {
        let reordered = try plan.pipeline(name).asking(order, from: plan.sources)
        let invalidation = try self[name].invalidation
        subscriptions?.add(invalidation, to: reordered.tiers.map(\.source.name))
        let tiers = Self.tiers(
            of: reordered, sources: sources, queues: queues, clock: clock, random: random, redactor: redactor, observer: observer,
            confirmation: invalidation.latentConfirmation)
        return DataPipeline(
            reordered, tiers: tiers, clock: clock, invalidation: invalidation, closing: closing, observer: observer,
            subscriptions: subscriptions)
    }

    /// Begins now to hear what other processes announce, where a source does that; else the first fetch does. Waits for nothing.
    public func listen() {
        subscriptions?.begin()
    }

    /// Writes what waits to be written, and returns when that is done, at the latest after `limit`.
    ///
    /// - Returns: the keys that are not written, by source.
    @discardableResult
    public func flush(within limit: Duration? = nil) async -> [(source: String, keys: [Key])] {
        await withTaskGroup { group in
            for (name, queue) in queues {
                group.addTask { (source: name, keys: await queue.flush(within: limit)) }
            }
            return await group.reduce(into: []) { if !$1.keys.isEmpty { $0.append($1) } }.sorted { $0.source < $1.source }
        }
    }

    /// Ends everything: fetches that wait, and whatever is asked for later, get ``ShutDownError``; loads and refreshes are cancelled, and
    /// what they find is not written any more; what waits to be written is written within `limit`; leases are given back, so that another
    /// process can load at once what this one was loading; sources are closed.
    ///
    /// - Returns: the keys that could not be written, by source.
    @discardableResult
    public func shutDown(within limit: Duration = .seconds(5)) async -> [(source: String, keys: [Key])] {
        closing.close()
        subscriptions?.end()
        for pipeline in plan.pipelines { pipelines[pipeline.name]?.stop() }
        let end = clock.now + limit
        let queues = queues.sorted { $0.key < $1.key }.map(\.value)
        for queue in queues {
            queue.close()
            queue.leases.close()
        }
        let unwritten = await flush(within: limit)
        await settleLeases(until: end)
        for queue in queues {
            queue.following.cancelAll()
            queue.stopWriting()
        }
        await closeSources(until: max(end, clock.now + Self.timeToClose))
        return unwritten
    }

    /// What a source has to close, also when nothing is left of the time: as a database does that is not held.
    private static let timeToClose = Duration.milliseconds(200)

    /// Waits until every source is closed, no longer than until `end`: one may wait for a write that hangs.
    private func closeSources(until end: Timestamp) async {
        try? await clock.race(until: end, late: {}) { [sources] in
            await withTaskGroup { group in
                for source in sources.values {
                    guard let source = source.asConnectable else { continue }
                    group.addTask { await source.close() }
                }
            }
        }
    }

    /// Waits until every lease is given back, no longer than until `end`.
    private func settleLeases(until end: Timestamp) async {
        if queues.values.allSatisfy(\.leases.isSettled) { return }
        // One that is late ends by itself.
        try? await clock.race(until: end, late: {}) { [queues] in
            for queue in queues.values { try await queue.leases.settle() }
        }
    }

    private static func queues(of sources: [String: any Source], _ plan: Plan, clock: PipelineClock) -> [String: WriteQueue] {
        var queues: [String: WriteQueue] = [:]
        for source in plan.sources {
            guard let made = sources[source.name] else { continue }
            // What the plan takes for a cache is one, also where its type does not say so itself.
            let writable = made.asWritable ?? (source.isWritable == true ? made as? any WritableSource : nil)
            queues[source.name] = writable.map { WriteQueue($0, clock: clock) }
        }
        return queues
    }

    private static func tiers(
        of pipeline: PipelinePlan, sources: [String: any Source], queues: [String: WriteQueue], clock: PipelineClock,
        random: RandomGenerator, redactor: Redactor, observer: PipelineEvent.Observer?, confirmation: Confirmation?
    ) -> [Tier] {
        pipeline.tiers.compactMap { tier in
            sources[tier.source.name].map { source in
                var made = Tier(
                    tier.source.name, source, policy: tier.policy, pipeline: pipeline.policy,
                    queue: queues[tier.source.name], isReadOnly: tier.source.isWritable == false,
                    keepsNotFound: tier.source.capabilities?.contains(.keepsNotFound) ?? false, clock: clock, random: random,
                    redactor: redactor, observer: observer)
                // What processes share is what the others changed: nothing can have been missed there.
                if made.publishing == nil { made.confirmation = confirmation }
                return made
            }
        }
    }

    private static func merged(_ observers: [PipelineEvent.Observer]) -> PipelineEvent.Observer? {
        guard let first = observers.first, observers.count > 1 else { return observers.first }
        return { [others = observers.dropFirst()] event in
            first(event)
            for observer in others { observer(event) }
        }
    }
}
