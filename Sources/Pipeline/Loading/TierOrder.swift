/// The order in which the tiers of a pipeline are asked, and the caches that each answer goes to.
package struct TierOrder {
    /// A tier of the list, as far as the order goes by it.
    package struct Tier {
        let name: String
        let policy: TierPolicy
        let isCache: Bool
        let isOrigin: Bool
        let alwaysAnswers: Bool

        /// A tier that is neither a cache nor an origin is of an unknown kind.
        package init(_ name: String, _ policy: TierPolicy, isCache: Bool, isOrigin: Bool, alwaysAnswers: Bool) {
            self.name = name
            self.policy = policy
            self.isCache = isCache
            self.isOrigin = isOrigin
            self.alwaysAnswers = alwaysAnswers
        }

        var isWrittenCache: Bool { isCache && policy.writes }
    }

    /// A tier in the order of asking.
    package struct Place {
        /// The position in the list.
        package let index: Int
        /// Indicates whether it is asked only if no stale copy may be served either.
        package let isLastResort: Bool
        /// The caches that its answers are written to, in the order of asking: a part of a list that all places share, since one for each
        /// would grow with the square of their number.
        package let targets: ArraySlice<String>
    }

    /// The tiers in the order of the list, with the last resorts after the others.
    package let places: [Place]

    package init(_ tiers: [Tier], writeBack policy: WriteBackPolicy) {
        var lastResort = LastResort()
        let isLast = tiers.map { lastResort.takes($0.policy, isOrigin: $0.isOrigin, alwaysAnswers: $0.alwaysAnswers) }
        let order = tiers.indices.filter { !isLast[$0] } + tiers.indices.filter { isLast[$0] }
        let targets = Self.targets(of: order.map { (tiers[$0], isLast[$0]) }, policy)
        places = zip(order, targets).map { Place(index: $0, isLastResort: isLast[$0], targets: $1) }
    }

    private static func targets(of tiers: [(tier: Tier, isLastResort: Bool)], _ policy: WriteBackPolicy) -> [ArraySlice<String>] {
        let caches = tiers.lazy.map(\.tier).filter(\.isWrittenCache).map(\.name)
        switch policy {
        case .none: return tiers.map { _ in [] }
        case .routes(let routes): return targets(of: tiers.map(\.tier.name), caches: Array(caches), along: routes)
        case .auto:
            let all = Array(caches)[...]
            var above = 0
            return tiers.map { tier, isLastResort in
                defer { if tier.isWrittenCache { above += 1 } }
                if isLastResort { return [] }
                return tier.isOrigin ? all : all[..<above]
            }
        }
    }

    private static func targets(of names: [String], caches: [String], along routes: [String: [String]]) -> [ArraySlice<String>] {
        let positions = Dictionary(caches.enumerated().map { (ExactName($1), $0) }) { first, _ in first }
        var targets: [ExactName: Set<Int>] = [:]
        for (from, to) in routes {
            let from = ExactName(from)
            targets[from, default: []].formUnion(to.lazy.map(ExactName.init).filter { $0 != from }.compactMap { positions[$0] })
        }
        return names.map { (targets[ExactName($0)] ?? []).sorted().map { caches[$0] }[...] }
    }
}
