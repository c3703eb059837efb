/// What one fetch may read and write.
public enum FetchPolicy: String, Sendable, CaseIterable, Hashable {
    /// Caches and origins, in the order of the pipeline.
    case `default`
    /// Origins are not asked. An expired copy is a miss.
    case cacheOnly = "cache-only"
    /// Caches are not read; the answer is written back.
    case refresh
    /// Caches are neither read nor written.
    case noStore = "no-store"

    var readsCaches: Bool { self == .default || self == .cacheOnly }
    var asksOrigins: Bool { self != .cacheOnly }
    var writes: Bool { self != .noStore }
    /// Whether an expired copy may be served; caches are then read, and origins asked for a newer one.
    var mayServeStale: Bool { self == .default }
}
