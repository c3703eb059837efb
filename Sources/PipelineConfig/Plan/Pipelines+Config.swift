public import Pipeline
import PipelineComposing
import PipelineLive
import PipelineSending

extension Pipelines {
    /// Builds what `report` planned. Makes every source; nothing is opened before it is used.
    ///
    /// Throws ``ConfigError`` when the report has errors, and what a plugin throws when it cannot make its source.
    ///
    /// - Parameters:
    ///   - random: what jitter and memory caches draw from. One with a seed makes a run repeatable.
    ///   - observers: receive events, in this order. Without any, no event is made.
    public convenience init(
        _ report: ConfigReport, clock: PipelineClock = .system, random: RandomGenerator = .system,
        observers: [PipelineEvent.Observer] = []
    ) throws {
        try self.init(report, swapping: .none, clock: clock, random: random, observers: observers)
    }

    /// Makes pipelines with other sources in the place of some. Throws ``SwapError`` if those do not fit.
    ///
    /// - Parameter part: what to build of the plan; nil for all of it.
    package convenience init(
        _ report: ConfigReport, only part: Plan? = nil, swapping swaps: SourceSwaps, clock: PipelineClock = .system,
        random: RandomGenerator = .system,
        observers: [PipelineEvent.Observer] = []
    ) throws {
        guard !report.diagnostics.hasErrors else { throw ConfigError(report.diagnostics) }
        let plan = part ?? report.plan
        let made = try plan.sourceSpecs(
            clock: clock, random: random, observers: observers, placing: swaps.place,
            keeping: swaps.sources(in: report, clock: clock))
        try self.init(
            plan.specs(of: made), sends: plan.sendSpecs(of: made), otherSources: plan.inOrder(made), clock: clock, random: random,
            redactor: report.redactor, observers: observers)
    }

    /// The pipeline of `plan`, asking these sources in this order instead: the plan knows what their templates need, which the engine does
    /// not.
    package func pipeline(
        of plan: PipelinePlan, asking order: [String], from sources: [SourceConfig], swapping swaps: SourceSwaps = .none
    ) throws(UsageError) -> DataPipeline {
        _ = try plan.asking(order, from: sources, isReplaced: swaps.replaces)
        return try pipeline(named: plan.name, asking: order)
    }
}

extension Plan {
    /// The sources, made, but for those that are `known`.
    func sourceSpecs(
        clock: PipelineClock, random: RandomGenerator, observers: [PipelineEvent.Observer], placing place: SourceSwaps.Placing? = nil,
        keeping known: [ExactName: SourceSpec] = [:]
    ) throws -> [ExactName: SourceSpec] {
        let made = try sources.compactMap { source -> SourceSpec? in
            if let known = known[ExactName(source.name)] { return known }
            var context = SourceContext(
                name: source.name, clock: clock, random: random, longestStale: longestStale(of: source.name)
            ) { key in
                for observer in observers { observer(.eviction(source: source.name, key: key)) }
            }
            if source.keepsCopies { context.place = try place?(source.name) }
            return try source.spec(context)
        }
        return Dictionary(made.map { (ExactName($0.name), $0) }) { first, _ in first }
    }

    /// The pipelines, with these sources.
    func specs(of made: [ExactName: SourceSpec]) -> [PipelineSpec] { pipelines.map { $0.spec(of: made) } }

    /// The sends, with these sources.
    func sendSpecs(of made: [ExactName: SourceSpec]) -> [SendSpec] { sends.compactMap { $0.spec(of: made) } }

    /// The sources as they stand in the file.
    func inOrder(_ made: [ExactName: SourceSpec]) -> [SourceSpec] { sources.compactMap { made[ExactName($0.name)] } }
}

extension SourceConfig {
    /// Whether it keeps something that a run with other sources must not find, and not change.
    fileprivate var keepsCopies: Bool { isWritable == true || keepsSends }

    /// The source, made; nil when its fields are not sound.
    package func spec(_ context: SourceContext) throws -> SourceSpec? {
        guard let made = try making?(context) else { return nil }
        return SourceSpec(name, made.source, cache: made.cache, capabilities: capabilities ?? [])
    }
}

extension PipelinePlan {
    /// The pipeline over these sources.
    package func spec(of sources: [ExactName: SourceSpec]) -> PipelineSpec {
        PipelineSpec(
            name, parameters: parameters.map(\.spec), policy: policy, combine: combine?.spec,
            tiers: tiers.compactMap { tier in
                tier.source.isComposite ? .combine(tier.policy) : sources[ExactName(tier.source.name)].map { TierSpec($0, tier.policy) }
            },
            live: feeds.compactMap { plan in sources[ExactName(plan.source.name)].map { plan.feed.spec(of: $0) } },
            links: links.map(\.spec))
    }
}

extension FeedConfig {
    fileprivate func spec(of source: SourceSpec) -> FeedSpec {
        FeedSpec(
            source, merging: merging, addressing: addressing, sequence: sequence, resync: resync?.members ?? [:], confirms: confirms,
            overlap: overlap)
    }
}

extension ConfigReport {
    /// One pipeline over sources of its own, which nothing else uses, and after it those that it is made from or links to.
    ///
    /// Throws ``UsageError`` for names that are not known, ``UnmovableCache``, and what the initializers of ``Pipelines`` throw.
    ///
    /// - Parameters:
    ///   - order: the sources to ask instead; nil for the tiers of the pipeline.
    package func specs(
        ofPipeline name: String, asking order: [String]?, swapping swaps: SourceSwaps, clock: PipelineClock, random: RandomGenerator
    ) throws -> [PipelineSpec] {
        guard !diagnostics.hasErrors else { throw ConfigError(diagnostics) }
        let declared = try plan.pipeline(name)
        let asked = try order.map { try declared.asking($0, from: plan.sources, isReplaced: swaps.replaces) } ?? declared
        let all = [asked] + plan.made(of: [declared])
        var made = try swaps.asking(order, in: name).sources(in: self, clock: clock)
        for source in all.flatMap(\.tiers).map(\.source) where made[ExactName(source.name)] == nil {
            var context = SourceContext(
                name: source.name, clock: clock, random: random, longestStale: plan.longestStale(of: source.name))
            if source.keepsCopies { context.place = try swaps.place?(source.name) }
            made[ExactName(source.name)] = try source.spec(context)
        }
        return all.map { $0.spec(of: made) }
    }
}
