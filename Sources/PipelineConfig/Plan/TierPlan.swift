package import Pipeline

/// One tier as it will be built: its source, its policy, and where its answers go.
public struct TierPlan: Sendable {
    /// The tier as the file declares it; nil for one that only a call names.
    let declared: TierConfig?
    /// The source.
    public let source: SourceConfig
    /// Whether it is asked only when no stale copy may be served either.
    public let isLastResort: Bool
    /// A part of a list that all tiers of a pipeline share: a list for each would grow with the square of their number.
    private let targets: ArraySlice<String>

    init(_ tier: OrderedTier, at place: TierOrder.Place) {
        declared = tier.tier
        source = tier.source
        isLastResort = place.isLastResort
        targets = place.targets
    }

    /// The caches that its answers are written to, in the order of asking.
    public var writesBackTo: [String] { Array(targets) }
    /// The policy.
    package var policy: TierPolicy { declared?.policy ?? TierPolicy() }
    /// Where the file says so.
    public var places: PolicyPlaces { declared.map { PolicyPlaces(range: $0.range, fields: $0.fieldPlaces) } ?? .none }
}
