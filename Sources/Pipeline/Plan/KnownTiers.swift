/// The tiers of a pipeline whose sources are known, each source once.
struct KnownTiers {
    struct Element {
        let tier: TierConfig
        let source: SourceConfig
        /// The place of the source in the order of the file.
        let index: Int

        var policy: TierPolicy { tier.policy }
        /// Whether it is a cache; nil when nobody knows.
        var isCache: Bool? { source.isWritable }
        /// Whether it is a cache that is asked.
        var isReadCache: Bool { isCache == true && policy.reads }
        /// Whether it is a cache that answers are written to.
        var isWrittenCache: Bool { isCache == true && policy.writes }
    }

    let elements: [Element]
    /// Whether these are all that there are, and it is known of each what it can do.
    let isWhole: Bool
    /// Whether each of them could be read.
    let isSound: Bool

    init(of pipeline: PipelineConfig, in sources: SourceTable) {
        var seen: Set<Int> = []
        elements = pipeline.tiers.compactMap { tier in
            guard let index = sources.index(of: tier.source), seen.insert(index).inserted else { return nil }
            return Element(tier: tier, source: sources.all[index], index: index)
        }
        isWhole =
            pipeline.hasAllTiers && elements.count == pipeline.tiers.count && elements.allSatisfy { $0.source.capabilities != nil }
        isSound = isWhole && elements.allSatisfy { $0.tier.isSound && $0.source.isSoundInForm }
    }

    /// As the plan takes them.
    var planned: [(source: SourceConfig, policy: TierPolicy)] { elements.map { ($0.source, $0.policy) } }
}
