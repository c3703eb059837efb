public import Pipeline

/// One pipeline as it will be built.
public struct PipelinePlan: Sendable {
    private let config: DeclaredPipeline
    /// The tiers in the order of asking: that of the list, and those that are a last resort after the others.
    public let tiers: [TierPlan]
    /// The feeds, in the order of the file.
    public let feeds: [FeedPlan]

    init(_ config: DeclaredPipeline, tiers: [OrderedTier], feeds: [FeedPlan]) {
        self.config = config
        self.feeds = feeds
        let order = TierOrder(tiers.map(\.ordered), writeBack: config.policy.writeBack)
        self.tiers = order.places.map { TierPlan(tiers[$0.index], at: $0) }
    }

    /// Its name.
    public var name: String { config.name }
    /// What it is for.
    public var description: String? { config.description }
    /// Its parameters, in the order of the file.
    public var parameters: [ParameterConfig] { config.parameters }
    /// How its values are made from those of other pipelines; nil where they are not.
    public var combine: CombineConfig? { config.combine }
    /// The references in its values, in the order of the file.
    public var links: [LinkConfig] { config.links }
    /// The policies around the tiers.
    package var policy: PipelinePolicy { config.policy }
    /// Where the file says what holds for the whole pipeline.
    public var places: PolicyPlaces { PolicyPlaces(range: config.range, fields: config.fieldPlaces) }

    /// The same pipeline asking these sources in this order instead. A source that is a tier of the pipeline keeps its policy; another one
    /// must need no more than its parameters.
    public func asking(_ order: [String], from sources: [SourceConfig]) throws(UsageError) -> PipelinePlan {
        try asking(order, from: sources, swapping: .none)
    }

    /// The same where others take the place of some sources, which need nothing then.
    package func asking(
        _ order: [String], from sources: [SourceConfig], swapping swaps: SourceSwaps
    ) throws(UsageError) -> PipelinePlan {
        let known = sources.filter { $0.tellsOfChanges != true } + (config.composite.map { [$0] } ?? [])
        let asked = try UsageError.checked(order, known: known.map(\.name)).map { known[$0] }
        let ordered = asked.map { source in
            OrderedTier(source: source, tier: tiers.first { $0.source.name.hasSameBytes(as: source.name) }?.declared)
        }
        let declared = Set(parameters.map(\.name))
        for source in ordered.lazy.filter({ $0.tier == nil && !swaps.replaces($0.source.name) }).map(\.source) {
            guard let use = source.undeclaredUses(among: declared).first else { continue }
            throw .unfitSource(source.name, needs: use.isSecret ? nil : use.style.written(use.parameter), pipeline: name)
        }
        return PipelinePlan(config, tiers: ordered, feeds: feeds)
    }
}

extension Pipelines {
    /// The pipeline of `plan`, asking these sources in this order instead: the plan knows what their templates need, which the engine does not.
    package func pipeline(
        of plan: PipelinePlan, asking order: [String], from sources: [SourceConfig], swapping swaps: SourceSwaps = .none
    ) throws(UsageError) -> DataPipeline {
        _ = try plan.asking(order, from: sources, swapping: swaps)
        return try pipeline(named: plan.name, asking: order)
    }
}
