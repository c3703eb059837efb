/// The pipelines of one configuration, with the sources they share.
public final class Pipelines: Sendable {
    /// What it was built from.
    public let plan: Plan
    private let pipelines: [String: DataPipeline]
    private let sources: [String: any Source]
    private let queues: [String: WriteQueue]
    private let clock: PipelineClock
    /// Masks what is secret in texts about what happens here.
    package let redactor: Redactor
    private let closing = Closing()
    private let observer: PipelineEvent.Observer?
    private let listening: Listening?

    /// Builds what `report` planned. Makes every source; nothing is opened before it is used.
    ///
    /// Throws ``ConfigError`` when the report has errors, and what a plugin throws when it cannot make its source.
    ///
    /// - Parameter observers: are told of what happens, in this order. Without any, nothing is made to be told.
    public init(_ report: ConfigReport, clock: PipelineClock = .system, observers: [PipelineEvent.Observer] = []) throws {
        guard !report.diagnostics.hasErrors else { throw ConfigError(report.diagnostics) }
        plan = report.plan
        self.clock = clock
        redactor = Redactor(report.secrets)
        let observer = Self.merged(observers)
        self.observer = observer
        var sources: [String: any Source] = [:]
        for source in report.plan.sources {
            sources[source.name] = try source.making?(
                SourceContext(name: source.name, clock: clock, longestStale: report.plan.longestStale(of: source.name)) {
                    [name = source.name] in observer?(.eviction(source: name, key: $0))
                })
        }
        self.sources = sources
        queues = sources.compactMapValues { ($0 as? any WritableSource).map { WriteQueue($0, clock: clock) } }
        listening = Listening(sources, redactor: redactor, observer: observer)
        let start = clock.now
        var pipelines: [String: DataPipeline] = [:]
        for pipeline in report.plan.pipelines {
            let horizon = Self.horizon(of: pipeline, since: start, listening)
            let tiers = Self.tiers(
                of: pipeline, sources: sources, queues: queues, clock: clock, redactor: redactor, observer: observer, horizon: horizon)
            pipelines[pipeline.name] = DataPipeline(
                pipeline, tiers: tiers, clock: clock, closing: closing, observer: observer, listening: listening, horizon: horizon)
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

    /// The pipeline called `name`, asking these sources in this order instead. Sources and copies are shared with the original.
    public func pipeline(_ name: String, asking order: [String]) throws(UsageError) -> DataPipeline {
        let reordered = try plan.pipeline(name).asking(order, from: plan.sources)
        let horizon = pipelines[name]?.horizon ?? Self.horizon(of: reordered, since: clock.now, listening)
        let tiers = Self.tiers(
            of: reordered, sources: sources, queues: queues, clock: clock, redactor: redactor, observer: observer, horizon: horizon)
        return DataPipeline(
            reordered, tiers: tiers, clock: clock, sharing: pipelines[name], closing: closing, observer: observer, listening: listening,
            horizon: horizon)
    }

    /// Begins now to hear what other processes announce, where a source does that; else the first fetch does. Waits for nothing.
    public func listen() {
        listening?.begin()
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
    /// what they find is not written any more; what waits to be written is written within `limit`; sources are closed.
    ///
    /// - Returns: the keys that could not be written, by source.
    @discardableResult
    public func shutDown(within limit: Duration = .seconds(5)) async -> [(source: String, keys: [Key])] {
        closing.close()
        listening?.end()
        for pipeline in pipelines.values { pipeline.stop() }
        for queue in queues.values { queue.close() }
        let unwritten = await flush(within: limit)
        for queue in queues.values { queue.following.cancelAll() }
        for source in sources.values { await (source as? any ConnectableSource)?.close() }
        return unwritten
    }

    private static func tiers(
        of pipeline: PipelinePlan, sources: [String: any Source], queues: [String: WriteQueue], clock: PipelineClock,
        redactor: Redactor, observer: PipelineEvent.Observer?, horizon: Horizon?
    ) -> [Tier] {
        pipeline.tiers.compactMap { tier in
            sources[tier.source.name].map { source in
                var made = Tier(
                    tier.source.name, source, policy: tier.policy, pipeline: pipeline.policy,
                    queue: queues[tier.source.name], isReadOnly: tier.source.isWritable == false,
                    keepsNotFound: tier.source.capabilities?.contains(.keepsNotFound) ?? false, clock: clock, redactor: redactor,
                    observer: observer)
                // What processes share is what the others changed: nothing can have been missed there.
                if made.announcing == nil { made.horizon = horizon }
                return made
            }
        }
    }

    /// From when on copies of this pipeline have heard what others announce; nil when none of its sources tells.
    private static func horizon(of pipeline: PipelinePlan, since start: Timestamp, _ listening: Listening?) -> Horizon? {
        listening?.concerns(pipeline.tiers.map(\.source.name)) == true ? Horizon(start) : nil
    }

    private static func merged(_ observers: [PipelineEvent.Observer]) -> PipelineEvent.Observer? {
        guard let first = observers.first, observers.count > 1 else { return observers.first }
        return { [others = observers.dropFirst()] event in
            first(event)
            for observer in others { observer(event) }
        }
    }
}
