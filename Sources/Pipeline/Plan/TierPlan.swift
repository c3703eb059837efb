/// One tier as it will be built: its source, its policy, and where its answers go.
public struct TierPlan: Sendable {
    /// The source.
    public let source: SourceConfig
    /// The policy.
    public let policy: TierPolicy
    /// The caches that its answers are written to, in the order of asking.
    public let writesBackTo: [String]
    /// Where the file says so.
    public internal(set) var places = PolicyPlaces.none
}
