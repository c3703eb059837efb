/// Which tiers and feeds use each source.
struct SourceUses {
    struct Use {
        /// The place of the pipeline in the order of the file.
        let pipeline: Int
        let tier: TierConfig
    }

    private var uses: [[Use]]
    /// Sources that are named without being asked: by feeds, and by tiers that hold no values.
    private var named: Set<Int> = []

    init(of sources: SourceTable) {
        uses = Array(repeating: [], count: sources.all.count)
    }

    mutating func add(_ tiers: KnownTiers, _ feeds: KnownFeeds, of pipeline: Int) {
        named.formUnion(tiers.valueless.map(\.index) + (feeds.elements + feeds.silent).map(\.index))
        for element in tiers.elements { if let index = element.index { uses[index].append(Use(pipeline: pipeline, tier: element.tier)) } }
    }

    /// Whether a tier or a feed names the source at `index`.
    func isNamed(_ index: Int) -> Bool { named.contains(index) || !uses[index].isEmpty }

    /// The tiers that ask the source at `index`, one a pipeline, in the order of the file.
    subscript(index: Int) -> [Use] { uses[index] }
}
