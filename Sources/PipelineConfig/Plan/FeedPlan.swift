/// One feed as it will be built: its source, and what its messages do.
public struct FeedPlan: Sendable {
    /// The change source.
    public let source: SourceConfig
    /// The feed as the file declares it.
    public let feed: FeedConfig

    /// Where the file says so.
    public var places: PolicyPlaces { PolicyPlaces(range: feed.range, fields: feed.fieldPlaces) }
}
