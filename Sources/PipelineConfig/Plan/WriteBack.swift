/// Decides which caches an answer goes to.
enum WriteBack {
    /// The tiers with their targets: an origin's answer goes to every cache, a cache's to the caches above it, that of a last resort
    /// nowhere: a default never takes the place of what an origin gave.
    static func plan(_ tiers: [OrderedTier], policy: WriteBackPolicy) -> [TierPlan] {
        let caches = tiers.filter(\.isWrittenCache).map { $0.source.name }
        switch policy {
        case .none: return tiers.map { TierPlan($0, writesBackTo: []) }
        case .routes(let routes): return plan(tiers, caches: caches, along: routes)
        case .auto:
            var above = 0
            return tiers.map { tier in
                defer { if tier.isWrittenCache { above += 1 } }
                if tier.isLastResort { return TierPlan(tier, writesBackTo: []) }
                return TierPlan(tier, writesBackTo: tier.source.isWritable == false ? caches[...] : caches[..<above])
            }
        }
    }

    private static func plan(_ tiers: [OrderedTier], caches: [String], along routes: [WriteBackPolicy.Route]) -> [TierPlan] {
        let positions = Dictionary(caches.enumerated().map { (ExactName($1), $0) }) { first, _ in first }
        var targets: [ExactName: Set<Int>] = [:]
        for route in routes {
            let from = ExactName(route.from.source)
            targets[from, default: []].formUnion(
                route.to.lazy.map { ExactName($0.source) }.filter { $0 != from }.compactMap { positions[$0] })
        }
        return tiers.map { tier in
            TierPlan(tier, writesBackTo: (targets[ExactName(tier.source.name)] ?? []).sorted().map { caches[$0] }[...])
        }
    }
}
