/// A source at its place in an order.
struct OrderedTier {
    let source: SourceConfig
    /// The tier as the file declares it; nil for one that only a call names.
    let tier: TierConfig?
    /// Whether it is asked after all others, and its answers go only where `write_back` names it.
    var isLastResort = false

    /// The policy that the source has there.
    var policy: TierPolicy { tier?.policy ?? TierPolicy() }

    /// Whether answers are written to this cache.
    var isWrittenCache: Bool { source.isWritable == true && tier?.policy.writes != false }
}
