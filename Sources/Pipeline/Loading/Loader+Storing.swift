extension Loader {
    /// Writes this loader's answers to `tiers`.
    ///
    /// A cache that answers without waiting (memory) is written before the reply; the others after it, in order for each key. A write
    /// that fails is in the reply's ``LoadReply/writes`` and changes nothing else.
    public func storing(in tiers: [Tier]) -> Loader {
        let caches = tiers.filter { $0.isCache && $0.policy.writes }.map { TierReference($0) }
        guard !caches.isEmpty else { return self }
        // Not immediate any more: what memory answers must be written, too.
        return Loader(name) { request in
            var reply = try await self(request)
            guard request.policy.writes else { return reply }
            switch reply.answer {
            case .value(let entry), .notFound(let entry):
                let log = WriteLog()
                for cache in caches where cache.tier.isImmediate { await cache.store(entry, for: request, log: log) }
                for cache in caches where !cache.tier.isImmediate { await cache.store(entry, for: request, log: log) }
                reply.writes = log.joined(by: reply.writes)
            case .stale, .none, .failed: break
            }
            return reply
        }
    }

    /// Asks `tier` first, and writes to it what this loader answers.
    public func caching(in tier: Tier) -> Loader {
        tier.loader().fallback(to: storing(in: [tier]))
    }
}
