/// One tier as it will be built: its source, its policy, and where its answers go.
public struct TierPlan: Sendable {
    let ordered: OrderedTier
    /// The caches that its answers are written to, in the order of asking.
    public let writesBackTo: [String]

    init(_ ordered: OrderedTier, writesBackTo targets: [String]) {
        self.ordered = ordered
        writesBackTo = targets
    }

    /// The source.
    public var source: SourceConfig { ordered.source }
    /// The policy.
    public var policy: TierPolicy { ordered.policy }
    /// Whether it is asked only when no stale copy may be served either.
    public var isLastResort: Bool { ordered.isLastResort }
    /// Where the file says so.
    public var places: PolicyPlaces { ordered.tier.map { PolicyPlaces(range: $0.range, fields: $0.fieldPlaces) } ?? .none }
}
