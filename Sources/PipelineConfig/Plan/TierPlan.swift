/// One tier as it will be built: its source, its policy, and where its answers go.
public struct TierPlan: Sendable {
    let ordered: OrderedTier
    /// A part of a list that all tiers of a pipeline share: a list for each would grow with the square of their number.
    private let targets: ArraySlice<String>

    init(_ ordered: OrderedTier, writesBackTo targets: ArraySlice<String>) {
        self.ordered = ordered
        self.targets = targets
    }

    /// The caches that its answers are written to, in the order of asking.
    public var writesBackTo: [String] { Array(targets) }

    /// The source.
    public var source: SourceConfig { ordered.source }
    /// The policy.
    public var policy: TierPolicy { ordered.policy }
    /// Whether it is asked only when no stale copy may be served either.
    public var isLastResort: Bool { ordered.isLastResort }
    /// Where the file says so.
    public var places: PolicyPlaces { ordered.tier.map { PolicyPlaces(range: $0.range, fields: $0.fieldPlaces) } ?? .none }
}
