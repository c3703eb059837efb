/// Decides which caches an answer goes to.
enum WriteBack {
    /// The tiers with their targets: an origin's answer goes to every cache, a cache's to the caches above it, that of a last resort
    /// nowhere: a default never takes the place of what an origin gave.
    static func plan(_ tiers: [OrderedTier], policy: WriteBackPolicy) -> [TierPlan] {
        let caches = tiers.filter(\.isWrittenCache).map { $0.source.name }
        var above = 0
        return tiers.map { tier in
            defer { if tier.isWrittenCache { above += 1 } }
            let targets: [String] =
                switch policy {
                case .none: []
                case .auto where tier.isLastResort: []
                case .auto: tier.source.isWritable == false ? caches : Array(caches.prefix(above))
                case .routes(let routes):
                    caches.filter { target in
                        !target.hasSameBytes(as: tier.source.name)
                            && routes.contains { $0.from.source == tier.source.name && $0.to.contains { $0.source == target } }
                    }
                }
            return TierPlan(tier, writesBackTo: targets)
        }
    }
}
