/// The pipelines of one configuration, with the sources they share.
public final class Pipelines: Sendable {
    /// What it was built from.
    public let plan: Plan
    private let pipelines: [String: DataPipeline]
    private let sources: [String: any Source]
    private let queues: [String: WriteQueue]
    private let clock: PipelineClock
    private let redactor: Redactor

    /// Builds what `report` planned. Makes every source; nothing is opened before it is used.
    ///
    /// Throws ``ConfigError`` when the report has errors, and what a plugin throws when it cannot make its source.
    public init(_ report: ConfigReport, clock: PipelineClock = .system) throws {
        guard !report.diagnostics.hasErrors else { throw ConfigError(report.diagnostics) }
        plan = report.plan
        self.clock = clock
        redactor = Redactor(report.secrets)
        var sources: [String: any Source] = [:]
        for source in report.plan.sources {
            sources[source.name] = try source.making?(SourceContext(name: source.name, clock: clock))
        }
        self.sources = sources
        queues = sources.compactMapValues { ($0 as? any WritableSource).map { WriteQueue($0, clock: clock) } }
        var pipelines: [String: DataPipeline] = [:]
        for pipeline in report.plan.pipelines {
            let tiers = Self.tiers(of: pipeline, sources: sources, queues: queues, clock: clock, redactor: redactor)
            pipelines[pipeline.name] = DataPipeline(pipeline, tiers: tiers, clock: clock)
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
        let tiers = Self.tiers(of: reordered, sources: sources, queues: queues, clock: clock, redactor: redactor)
        return DataPipeline(reordered, tiers: tiers, clock: clock, sharing: pipelines[name])
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

    /// Ends the work in the background: refreshes are cancelled, what waits is written within `limit`, sources are closed. Let fetches end
    /// before: those that still run find their sources closed.
    ///
    /// - Returns: the keys that could not be written, by source.
    @discardableResult
    public func shutDown(within limit: Duration = .seconds(5)) async -> [(source: String, keys: [Key])] {
        for pipeline in pipelines.values { pipeline.stop() }
        let unwritten = await flush(within: limit)
        for source in sources.values { await (source as? any ConnectableSource)?.close() }
        return unwritten
    }

    private static func tiers(
        of pipeline: PipelinePlan, sources: [String: any Source], queues: [String: WriteQueue], clock: PipelineClock,
        redactor: Redactor
    ) -> [Tier] {
        pipeline.tiers.compactMap { tier in
            sources[tier.source.name].map { source in
                Tier(
                    tier.source.name, source, policy: tier.policy, pipeline: pipeline.policy,
                    queue: queues[tier.source.name], isReadOnly: tier.source.isWritable == false,
                    keepsNotFound: tier.source.capabilities?.contains(.keepsNotFound) ?? false, clock: clock, redactor: redactor)
            }
        }
    }
}
