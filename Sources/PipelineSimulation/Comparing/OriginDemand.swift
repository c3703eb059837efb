internal import Pipeline

/// How often one fetch of a pipeline asks origins.
struct OriginDemand {
    /// Whether it begins with a call, unless it shares the load of another fetch.
    let begins: Bool
    /// The most calls.
    let most: Int

    /// One fetch has no more loads.
    private static let bound = CompositeSpec.mostLoads

    /// - Parameters:
    ///   - specs: the pipeline, and those that it is made from or links to.
    ///   - free: sources that send nothing to an origin.
    init(of pipeline: String, in specs: [PipelineSpec], besides free: Set<String> = []) {
        var known: [String: OriginDemand] = [:]
        self = Self.demand(of: pipeline, in: specs, besides: free, &known)
    }

    private init(begins: Bool, most: Int) {
        self.begins = begins
        self.most = min(most, Self.bound)
    }

    private static func demand(
        of name: String, in specs: [PipelineSpec], besides free: Set<String>, _ known: inout [String: OriginDemand]
    ) -> OriginDemand {
        if let demand = known[name] { return demand }
        guard let spec = specs.first(where: { $0.name == name }) else { return OriginDemand(begins: false, most: 0) }
        var most = 0
        var begins: Bool?
        for tier in spec.tiers {
            let isAsked = tier.source.isOrigin && !free.contains(tier.name)
            var demand = OriginDemand(begins: isAsked, most: isAsked ? tier.policy.retry?.attempts ?? 1 : 0)
            if let combine = spec.combine, tier.name == CompositeSpec.placeName {
                let parts = combine.partSpecs.map(\.spec)
                let demands = parts.map { Self.demand(of: $0.pipeline, in: specs, besides: free, &known) }
                // A link may lead to any number of values.
                let followed = parts.contains { !$0.follow.isEmpty } ? bound : 0
                demand = OriginDemand(begins: demands.contains(where: \.begins), most: demands.reduce(followed) { $0 + $1.most })
            }
            most = min(bound, most + demand.most)
            if tier.policy.reads, begins == nil { begins = demand.begins }
        }
        let demand = OriginDemand(begins: begins ?? false, most: most)
        known[name] = demand
        return demand
    }
}
