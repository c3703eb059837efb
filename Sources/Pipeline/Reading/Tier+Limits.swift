extension [Tier] {
    /// When the last of the copies that these caches make of `entry` at `now` stops being fresh; nil when one never does, or there is none.
    func limit(of entry: Entry, at now: Timestamp) -> Timestamp? {
        var last: Timestamp?
        for tier in self where tier.isCache && tier.policy.writes {
            guard let limit = tier.freshness.limit(of: entry.copy(storedAt: now, ttl: nil)) else { return nil }
            last = last.map { Swift.max($0, limit) } ?? limit
        }
        return last
    }
}
