/// Which tiers use each source.
struct SourceUses {
    struct Use {
        /// The place of the pipeline in the order of the file.
        let pipeline: Int
        let tier: TierConfig
    }

    private var uses: [[Use]]

    init(of sources: SourceTable) {
        uses = Array(repeating: [], count: sources.all.count)
    }

    mutating func add(_ tiers: KnownTiers, of pipeline: Int) {
        for element in tiers.elements { uses[element.index].append(Use(pipeline: pipeline, tier: element.tier)) }
    }

    /// The uses of the source at `index`, one a pipeline, in the order of the file.
    subscript(index: Int) -> [Use] { uses[index] }
}
