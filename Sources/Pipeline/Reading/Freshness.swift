/// How long a cache's copies are fresh, in whole nanoseconds: every hit asks, and a `Duration` on the way would be a third of its cost.
struct Freshness: Sendable {
    private let ttl: Int64?
    private let notFoundTTL: Int64?
    private let refreshAhead: Double?

    init(_ tier: TierPolicy, _ pipeline: PipelinePolicy) {
        ttl = tier.ttl.limit?.saturatedNanoseconds
        notFoundTTL = pipeline.notFoundTTL?.saturatedNanoseconds ?? ttl
        refreshAhead = pipeline.refreshAhead?.value
    }

    /// Until when a copy that the cache holds is fresh: as long as it says, and never longer than the ttl after it was stored.
    @inline(__always)
    func limit(of entry: Entry) -> Timestamp? {
        guard let ttl = entry.isNotFound ? notFoundTTL : ttl else { return entry.freshUntil }
        let byPolicy = Timestamp(nanoseconds: (entry.stored ?? entry.created).nanoseconds.addingSaturated(ttl))
        guard let own = entry.freshUntil, own < byPolicy else { return byPolicy }
        return own
    }

    /// Whether a fresh copy is so old that it is to be loaded anew.
    @inline(__always)
    func isDueForRefresh(_ entry: Entry, freshUntil limit: Timestamp?, at now: Timestamp) -> Bool {
        guard let refreshAhead, let limit, let stored = entry.stored else { return false }
        let life = Double(limit.nanoseconds.subtractingSaturated(stored.nanoseconds))
        return Double(now.nanoseconds.subtractingSaturated(stored.nanoseconds)) >= life * refreshAhead
    }
}
