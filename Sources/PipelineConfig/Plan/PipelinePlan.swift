/// One pipeline as it will be built.
public struct PipelinePlan: Sendable {
    private let config: PipelineConfig
    /// The tiers in the order of asking: that of the list, and those that are a last resort after the others.
    public let tiers: [TierPlan]

    init(_ config: PipelineConfig, tiers: [OrderedTier]) {
        self.config = config
        var lastResort = LastResort()
        let marked = tiers.map { tier in
            var marked = tier
            marked.isLastResort = lastResort.takes(tier.source, tier.policy)
            return marked
        }
        let order = marked.filter { !$0.isLastResort } + marked.filter(\.isLastResort)
        self.tiers = WriteBack.plan(order, policy: config.policy.writeBack)
    }

    /// Its name.
    public var name: String { config.name }
    /// What it is for.
    public var description: String? { config.description }
    /// Its parameters, in the order of the file.
    public var parameters: [ParameterConfig] { config.parameters }
    /// The policies around the tiers.
    public var policy: PipelinePolicy { config.policy }
    /// Where the file says what holds for the whole pipeline.
    public var places: PolicyPlaces { PolicyPlaces(range: config.range, fields: config.fieldPlaces) }

    /// The same pipeline asking these sources in this order instead. A source that is a tier of the pipeline keeps its policy.
    public func asking(_ order: [String], from sources: [SourceConfig]) throws(UsageError) -> PipelinePlan {
        var tiers: [OrderedTier] = []
        for name in order {
            guard let source = sources.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw .unknownSource(name, known: sources.map(\.name))
            }
            guard !tiers.contains(where: { $0.source.name.utf8.elementsEqual(name.utf8) }) else { throw .repeatedSource(name) }
            let known = self.tiers.first { $0.source.name.utf8.elementsEqual(name.utf8) }
            tiers.append(OrderedTier(source: source, tier: known?.ordered.tier))
        }
        guard !tiers.isEmpty else { throw .emptyOrder }
        return PipelinePlan(config, tiers: tiers)
    }

    /// The key of a fetch with these arguments; defaults stand in for those that are missing.
    public func key(_ arguments: [String: String]) throws(UsageError) -> Key {
        let known = parameters.map(\.name)
        for name in arguments.keys.sorted() where !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            throw .undeclaredParameter(name, pipeline: self.name, known: known)
        }
        var values: [Parameter] = []
        var missing: [String] = []
        for parameter in parameters {
            if let value = arguments[parameter.name] ?? parameter.defaultValue {
                values.append(Parameter(name: parameter.name, value: value))
            } else {
                missing.append(parameter.name)
            }
        }
        guard missing.isEmpty else { throw .missingParameters(missing, pipeline: name) }
        return Key(pipeline: name, parameters: values)
    }
}
