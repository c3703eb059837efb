/// A source at its place in an order, with the policy that it has there.
struct OrderedTier {
    let source: SourceConfig
    let policy: TierPolicy
    /// Where the file says so.
    let places: PolicyPlaces
}
