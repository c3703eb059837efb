public import Pipeline

/// What a controller knows of its origin at one moment.
public struct OriginSnapshot: Hashable, Sendable {
    /// The origin.
    public let origin: OriginID
    /// How many requests may be under way at once.
    public let limit: Int
    /// How many are under way.
    public let underWay: Int
    /// How many wait for a permit.
    public let waiting: Int
    /// Until when the origin is not asked; nil when it is.
    public let restUntil: Timestamp?
    /// Until when sources rest that do not ask the origin with some of their credentials, or at all; of each the last such moment.
    public let sourceRests: [String: Timestamp]
    /// The median of the last 200 times from permit to the end of an answer; nil before the first.
    public let p50: Duration?
    /// Their 95th percentile.
    public let p95: Duration?
    /// The share of failures among the last 100 requests; nil before the first.
    public let errors: Double?
    /// How many retries and hedges are left in the budget.
    public let budget: Double
    /// How many requests have begun, hedges included.
    public let begun: Int
    /// How many requests got no permit.
    public let refused: Int
    /// How many second requests were sent.
    public let hedges: Int
    /// How many of those were faster than the first.
    public let hedgesWon: Int
}
