/// The policy of one fetch: what it may read and write.
///
/// New cases may come: switch with a `default`.
public enum FetchPolicy: String, Sendable, CaseIterable, Hashable {
    /// Caches and origins, in the order of the pipeline.
    case `default`
    /// Origins are not asked. An expired copy is a miss.
    case cacheOnly = "cache-only"
    /// Caches are not read; the answer is written back.
    case refresh
    /// Caches are neither read nor written, and observers do not see the answer.
    case noStore = "no-store"
    /// Origins are not asked. Where no cache has a fresh copy, the newest of the expired ones is served, however old it is, also where its
    /// origin said that it must be confirmed. Without any, the fetch fails.
    case offline

    package var readsCaches: Bool { self == .default || self == .cacheOnly || self == .offline }
    package var asksOrigins: Bool { self != .cacheOnly && self != .offline }
    package var writes: Bool { self != .noStore }
    /// Whether an expired copy may be served; caches are then read, and origins asked for a newer one.
    var mayServeStale: Bool { self == .default }
}
