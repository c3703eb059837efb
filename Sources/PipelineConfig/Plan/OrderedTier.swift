internal import Pipeline

/// A source at its place in a list of tiers.
struct OrderedTier {
    let source: SourceConfig
    /// The tier as the file declares it; nil for one that only a call names.
    let tier: TierConfig?

    /// The policy that the source has there.
    var policy: TierPolicy { tier?.policy ?? TierPolicy() }

    /// What its place in the order of asking depends on.
    var ordered: TierOrder.Tier {
        TierOrder.Tier(
            source.name, policy, isCache: source.isWritable == true, isOrigin: source.isWritable == false,
            alwaysAnswers: source.alwaysAnswers)
    }
}
