/// A pipeline with its tiers in the order of asking.
struct PipelineOrder {
    struct Tier {
        let spec: TierSpec
        /// Whether it is asked only when no stale copy may be served either.
        let isLastResort: Bool
        /// The caches that its answers are written to, in the order of asking.
        let writesBackTo: ArraySlice<String>
    }

    let name: String
    let policy: PipelinePolicy
    let tiers: [Tier]

    /// The caches that the answer of an origin goes to.
    var targetsOfOrigins: Set<String> {
        Set(tiers.filter { $0.spec.source.isOrigin && !$0.isLastResort }.flatMap(\.writesBackTo))
    }

    init(_ name: String, _ tiers: [TierSpec], _ policy: PipelinePolicy) {
        self.name = name
        self.policy = policy
        let order = TierOrder(tiers.map(\.ordered), writeBack: policy.writeBack)
        self.tiers = order.places.map {
            Tier(spec: tiers[$0.index], isLastResort: $0.isLastResort, writesBackTo: $0.targets)
        }
    }
}

extension TierSpec {
    fileprivate var ordered: TierOrder.Tier {
        TierOrder.Tier(
            name, policy, isCache: !source.isOrigin, isOrigin: source.isOrigin,
            alwaysAnswers: source.capabilities.contains(.alwaysAnswers))
    }
}
