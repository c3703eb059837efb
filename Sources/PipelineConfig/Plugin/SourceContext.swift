public import Pipeline

/// The context that the runner gives a plugin to make a source with.
public struct SourceContext: Sendable {
    /// The name of the source in the file.
    public let name: String
    /// The only place to take the time from.
    public let clock: PipelineClock
    /// The only place to take random numbers from.
    public let random: RandomGenerator
    /// The time after expiry for which a copy may still be served, in one of the pipelines that use the source. A cache that removes copies
    /// by itself keeps them that much longer.
    public let longestStale: Duration
    /// Call this when a cache lets a copy go to keep within its bounds, with the key where it is known; not for copies that were removed
    /// or replaced, and never under a lock.
    public let evicted: @Sendable (Key?) -> Void
    /// The place where a cache keeps its copies for this run; nil for the place that its fields name.
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

/// A place for the copies of a cache, in place of the one that its fields name.
package struct CachePlace: Sendable {
    /// The name of the file in ``folder`` where a cache keeps all copies in one.
    package static let file = "copies"

    /// The folder of its files, which nothing else writes to.
    let folder: String
    /// What stands before the key of each copy where many share one server.
    let prefix: String

    package init(folder: String, prefix: String) {
        (self.folder, self.prefix) = (folder, prefix)
    }
}

extension Field {
    /// `value` for a cache at another place; nil where the field does not say where copies are, or says it in a way that cannot change.
    func moved(_ value: Value, to place: CachePlace) -> Value? {
        switch declaration.role {
        case .place, .placeOfEachKey: value.moved(into: place.folder)
        case .keyPrefix: (value as? String).flatMap { place.prefix + $0 as? Value }
        default: nil
        }
    }
}

/// A cache that cannot keep its copies at another place: its fields do not say how.
package struct UnmovableCache: Error, CustomStringConvertible {
    /// The name of the source.
    package let source: String

    package var description: String { "the copies of `\(source)` cannot be kept at a temporary place" }
}
