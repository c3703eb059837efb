public import Pipeline

/// What the runner gives a plugin to make a source with.
public struct SourceContext: Sendable {
    /// The name of the source in the file.
    public let name: String
    /// The only place to take the time from.
    public let clock: PipelineClock
    /// The only place to take random numbers from.
    public let random: RandomGenerator
    /// For so long after it expired a copy may still be served, in one of the pipelines that use the source. A cache that forgets by itself
    /// keeps copies so much longer.
    public let longestStale: Duration
    /// For a cache to say that it let a copy go to keep within its bounds, with the key where it knows it. Not for copies that were
    /// removed, or replaced. Never called under a lock of the cache.
    public let evicted: @Sendable (Key?) -> Void

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
