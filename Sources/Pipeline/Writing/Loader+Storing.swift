extension Loader {
    /// Writes this loader's answers to `tiers`.
    ///
    /// A cache that answers without waiting (memory) is written before the reply; the others after it, in order for each key. A write
    /// that fails is in the reply's ``LoadReply/writes`` and changes nothing else.
    package func storing(in tiers: [Tier]) -> Loader { storing(in: tiers, keeping: nil) }

    /// - Parameter lives: the keys whose values change by themselves: what they have become since is written, in their own order.
    func storing(in tiers: [Tier], keeping lives: LiveKeys?) -> Loader {
        let caches = tiers.filter { $0.isCache && $0.policy.writes }.map { TierReference($0) }
        guard !caches.isEmpty else { return self }
        return Loader(name) { request in
            var reply = try await load(request)
            guard request.policy.writes else { return reply }
            if let reason = reply.detail?.notKept {
                let log = WriteLog()
                for cache in caches { cache.tier.skip(request, because: reason, log: log) }
                reply.writes = log.joined(by: reply.writes)
                return reply
            }
            switch reply.answer {
            case .value(let entry), .notFound(let entry):
                let log = WriteLog()
                let request = reply.detail.map(request.bound) ?? request
                @Sendable func store(_ entry: Entry) async {
                    for cache in caches where cache.tier.isImmediate { await cache.store(entry, for: request, log: log) }
                    for cache in caches where !cache.tier.isImmediate { await cache.store(entry, for: request, log: log) }
                }
                if let live = lives?[request.key] {
                    await live.store(entry, from: reply.source, for: request, store)
                } else {
                    await store(entry)
                }
                reply.writes = log.joined(by: reply.writes)
            case .stale, .none, .failed: break
            }
            return reply
        }
    }
}

extension LoadRequest {
    /// The request whose answer is not written any more when what it was made from changes.
    fileprivate func bound(by detail: any ReplyDetail) -> LoadRequest {
        var request = self
        request.permit = permit.map(detail.bound)
        return request
    }
}
