/// One tier as it will be built: its source, its policy, and where its answers go.
public struct TierPlan: Sendable {
    /// The source.
    public let source: SourceConfig
    /// The policy.
    public let policy: TierPolicy
    /// The caches that its answers are written to, in the order of asking.
    public let writesBackTo: [String]
    /// Where the file says so.
    public let places: PolicyPlaces

    init(_ tier: OrderedTier, writesBackTo targets: [String]) {
        source = tier.source
        policy = tier.policy
        places = tier.places
        writesBackTo = targets
    }
}
