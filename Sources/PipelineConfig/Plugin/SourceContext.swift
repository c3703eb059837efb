public import Pipeline

/// What the runner gives a plugin to make a source with.
public struct SourceContext: Sendable {
    /// The name of the source in the file.
    public let name: String
    /// The only place to take the time from.
    public let clock: PipelineClock
    /// The only place to take random numbers from.
    public let random: RandomGenerator
    /// How long after expiry a copy may still be served, in one of the pipelines that use the source. A cache that removes copies by itself
    /// keeps them that much longer.
    public let longestStale: Duration
    /// Call this when a cache lets a copy go to keep within its bounds, with the key where it is known; not for copies that were removed
    /// or replaced, and never under a lock.
    public let evicted: @Sendable (Key?) -> Void
    /// Where a cache keeps its copies for this run; nil for the place that its fields name.
    package var place: CachePlace?

    /// A context for the source `name`.
    public init(
        name: String, clock: PipelineClock, random: RandomGenerator = .system, longestStale: Duration = .zero,
        evicted: @escaping @Sendable (Key?) -> Void = { _ in }
    ) {
        self.name = name
        self.clock = clock
        self.random = random
        self.longestStale = longestStale
        self.evicted = evicted
    }
}
