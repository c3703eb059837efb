/// Decides which caches an answer goes to.
enum WriteBack {
    /// The tiers with their targets: an origin's answer goes to every cache, a cache's to the caches above it.
    static func plan(_ tiers: [(source: SourceConfig, policy: TierPolicy)], policy: WriteBackPolicy) -> [TierPlan] {
        let caches = tiers.map { $0.source.isWritable == true && $0.policy.writes }
        return tiers.enumerated().map { index, tier in
            let targets: [String] =
                switch policy {
                case .none: []
                case .auto:
                    tiers.indices.filter { caches[$0] && $0 != index && ($0 < index || tier.source.isWritable == false) }
                        .map { tiers[$0].source.name }
                case .routes(let routes):
                    tiers.indices.filter { caches[$0] && $0 != index }.map { tiers[$0].source.name }
                        .filter { target in
                            routes.contains { $0.from.source == tier.source.name && $0.to.contains { $0.source == target } }
                        }
                }
            return TierPlan(source: tier.source, policy: tier.policy, writesBackTo: targets)
        }
    }
}
