public import Pipeline

/// One pipeline as it will be built.
public struct PipelinePlan: Sendable {
    private let config: DeclaredPipeline
    /// The tiers in the order of asking: the order of the list, and those that are a last resort after the others.
    public let tiers: [TierPlan]
    /// The feeds, in the order of the file.
    public let feeds: [FeedPlan]

    init(_ config: DeclaredPipeline, tiers: [OrderedTier], feeds: [FeedPlan]) {
        self.config = config
        self.feeds = feeds
        let order = TierOrder(tiers.map(\.ordered), writeBack: config.policy.writeBack)
        self.tiers = order.places.map { TierPlan(tiers[$0.index], at: $0) }
    }

    /// The name of the pipeline.
    public var name: String { config.name }
    /// The purpose of the pipeline.
    public var description: String? { config.description }
    /// The parameters, in the order of the file.
    public var parameters: [ParameterConfig] { config.parameters }
    /// The composite that makes its values from the values of other pipelines; nil if none does.
    public var combine: CombineConfig? { config.combine }
    /// The references in its values, in the order of the file.
    public var links: [LinkConfig] { config.links }
    /// The policies around the tiers.
    package var policy: PipelinePolicy { config.policy }
    /// The places where the file says what holds for the pipeline itself.
    public var places: PolicyPlaces { PolicyPlaces(range: config.range, fields: config.fieldPlaces) }

    /// This pipeline, asking these sources in this order instead. A source that is a tier of the pipeline keeps its policy; another one
    /// must need no more than its parameters.
    public func asking(_ order: [String], from sources: [SourceConfig]) throws(UsageError) -> PipelinePlan {
        try asking(order, from: sources) { _ in false }
    }

    /// This pipeline, asking sources in this order, where others take the place of some, which need nothing then.
    package func asking(
        _ order: [String], from sources: [SourceConfig], isReplaced: (String) -> Bool
    ) throws(UsageError) -> PipelinePlan {
        let known = sources.filter(\.mayHoldValues) + (config.composite.map { [$0] } ?? [])
        let asked = try UsageError.checked(order, known: known.map(\.name)).map { known[$0] }
        let ordered = asked.map { source in
            OrderedTier(source: source, tier: tiers.first { $0.source.name.hasSameBytes(as: source.name) }?.declared)
        }
        let declared = Set(parameters.map(\.name))
        for source in ordered.filter({ $0.tier == nil && !isReplaced($0.source.name) }).map(\.source) {
            guard let use = source.undeclaredUses(among: declared).first else { continue }
            throw .unfitSource(source.name, needs: use.isSecret ? nil : use.style.written(use.parameter), pipeline: name)
        }
        return PipelinePlan(config, tiers: ordered, feeds: feeds)
    }
}

/// One tier as it will be built: its source, its policy, and where its answers go.
public struct TierPlan: Sendable {
    /// The tier as the file declares it; nil for one that only a call names.
    let declared: TierConfig?
    /// The source.
    public let source: SourceConfig
    /// Indicates whether it is asked only if no stale copy may be served either.
    public let isLastResort: Bool
    /// A part of a list that all tiers of a pipeline share: a list for each would grow with the square of their number.
    private let targets: ArraySlice<String>

    init(_ tier: OrderedTier, at place: TierOrder.Place) {
        declared = tier.tier
        source = tier.source
        isLastResort = place.isLastResort
        targets = place.targets
    }

    /// The caches that its answers are written to, in the order of asking.
    public var writesBackTo: [String] { Array(targets) }
    /// The policy.
    package var policy: TierPolicy { declared?.policy ?? TierPolicy() }
    /// The places where the file says so.
    public var places: PolicyPlaces { declared.map { PolicyPlaces(range: $0.range, fields: $0.fieldPlaces) } ?? .none }
}

/// One feed as it will be built: its source, and what its messages do.
public struct FeedPlan: Sendable {
    /// The change source.
    public let source: SourceConfig
    /// The feed as the file declares it.
    public let feed: FeedConfig

    /// The places where the file says so.
    public var places: PolicyPlaces { PolicyPlaces(range: feed.range, fields: feed.fieldPlaces) }
}

/// The places where the file says what a tier or a pipeline does; empty for a tier that only a call names.
public struct PolicyPlaces: Sendable {
    /// The place where the tier or the pipeline is named; nil if the file does not.
    public let range: TextRange?
    private let fields: FieldPlaces

    /// Nowhere in the file.
    static let none = PolicyPlaces(range: nil, fields: .none)

    init(range: TextRange?, fields: FieldPlaces) {
        self.range = range
        self.fields = fields
    }

    /// The place of the field `name`; nil if its default holds.
    public subscript(name: String) -> TextRange? { fields.key(name)?.range }
    package subscript(field: TierField) -> TextRange? { self[field.rawValue] }
    package subscript(field: PipelineField) -> TextRange? { self[field.rawValue] }
}

/// A source at its place in a list of tiers.
struct OrderedTier {
    let source: SourceConfig
    /// The tier as the file declares it; nil for one that only a call names.
    let tier: TierConfig?

    /// The policy that the source has there.
    var policy: TierPolicy { tier?.policy ?? TierPolicy() }

    /// What its place in the order of asking depends on.
    var ordered: TierOrder.Tier {
        TierOrder.Tier(
            source.name, policy, isCache: source.isWritable == true, isOrigin: source.isWritable == false,
            alwaysAnswers: source.alwaysAnswers)
    }
}
