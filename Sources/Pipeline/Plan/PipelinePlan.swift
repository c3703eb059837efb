/// One pipeline as it will be built.
public struct PipelinePlan: Sendable {
    /// Its name.
    public let name: String
    /// What it is for.
    public let description: String?
    /// Its parameters, in the order of the file.
    public let parameters: [ParameterConfig]
    /// The policies around the tiers.
    public let policy: PipelinePolicy
    /// The tiers in the order of asking.
    public let tiers: [TierPlan]
    /// Where the file says what holds for the whole pipeline.
    public let places: PolicyPlaces

    init(_ config: PipelineConfig, tiers: [OrderedTier]) {
        name = config.name
        description = config.description
        parameters = config.parameters
        policy = config.policy
        places = PolicyPlaces(range: config.range, fields: config.fieldPlaces)
        self.tiers = WriteBack.plan(tiers, policy: config.policy.writeBack)
    }

    private init(_ plan: PipelinePlan, tiers: [OrderedTier]) {
        name = plan.name
        description = plan.description
        parameters = plan.parameters
        policy = plan.policy
        places = plan.places
        self.tiers = WriteBack.plan(tiers, policy: plan.policy.writeBack)
    }

    /// The same pipeline asking these sources in this order instead. A source that is a tier of the pipeline keeps its policy.
    public func asking(_ order: [String], from sources: [SourceConfig]) throws(UsageError) -> PipelinePlan {
        var tiers: [OrderedTier] = []
        for name in order {
            guard let source = sources.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw .unknownSource(name, known: sources.map(\.name))
            }
            guard !tiers.contains(where: { $0.source.name.utf8.elementsEqual(name.utf8) }) else { throw .repeatedSource(name) }
            let known = self.tiers.first { $0.source.name.utf8.elementsEqual(name.utf8) }
            tiers.append(OrderedTier(source: source, policy: known?.policy ?? TierPolicy(), places: known?.places ?? .none))
        }
        guard !tiers.isEmpty else { throw .emptyOrder }
        return PipelinePlan(self, tiers: tiers)
    }

    /// The key of a fetch with these arguments; defaults stand in for those that are missing.
    public func key(_ arguments: [String: String]) throws(UsageError) -> Key {
        let known = parameters.map(\.name)
        for name in arguments.keys.sorted() where !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            throw .undeclaredParameter(name, pipeline: self.name, known: known)
        }
        var values: [Parameter] = []
        for parameter in parameters {
            guard let value = arguments[parameter.name] ?? parameter.defaultValue else {
                throw .missingParameter(parameter.name, pipeline: name)
            }
            values.append(Parameter(name: parameter.name, value: value))
        }
        return Key(pipeline: name, parameters: values)
    }
}
