extension Tier {
    /// The result of `work` within this tier's time to answer, as ``PipelineClock/race(until:elsewhere:late:leaving:dropping:_:)`` gives it.
    func limiting<Value: Sendable>(
        leaving: (Task<Void, Never>) async -> Void = { $0.cancel() }, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let limit = policy.timeLimit
        return try await clock.race(
            until: clock.now + limit, late: { throw SourceError("no answer within \(limit.spelling)", kind: .timeout) }, leaving: leaving,
            work)
    }
}

extension [Tier] {
    /// When the last of the copies that these caches make of `entry` at `now` stops being fresh; nil when one never does, or there is none.
    package func limit(of entry: Entry, at now: Timestamp) -> Timestamp? {
        var last: Timestamp?
        for tier in self where tier.isCache && tier.policy.writes {
            guard let limit = tier.rules.freshness.limit(of: entry.copy(storedAt: now, ttl: nil)) else { return nil }
            last = last.map { Swift.max($0, limit) } ?? limit
        }
        return last
    }
}
