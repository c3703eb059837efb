extension Loader {
    /// Writes this loader's answers to `tiers`.
    ///
    /// A cache that answers without waiting (memory) is written before the reply; the others after it, in order for each key. A write
    /// that fails is in the reply's ``LoadReply/writes`` and changes nothing else.
    package func storing(in tiers: [Tier]) -> Loader { storing(in: tiers, followedBy: nil) }

    /// - Parameter followers: know what the values have become since, which is written, in the order that they keep.
    func storing(in tiers: [Tier], followedBy followers: Followers?) -> Loader {
        let caches = tiers.filter { $0.isCache && $0.policy.writes }.map { TierReference($0) }
        guard !caches.isEmpty else { return self }
        let fastFirst = caches.filter(\.tier.isImmediate) + caches.filter { !$0.tier.isImmediate }
        return Loader(name) { call, trail, standing in
            var reply = try await load(call, trail, standing)
            guard call.policy.writes else { return reply }
            if let reason = reply.detail?.notKept {
                let log = WriteLog()
                for cache in caches { cache.tier.skip(call.key, because: reason, log: log) }
                reply.writes = log.joined(by: reply.writes)
                return reply
            }
            switch reply.answer {
            case .value(let entry), .notFound(let entry):
                let log = WriteLog()
                let standing = reply.detail.map(standing.bound) ?? standing
                @Sendable func store(_ entry: Entry) async {
                    for cache in fastFirst {
                        await cache.store(entry, for: call, after: trail, standing, log: log)
                    }
                }
                if let followers {
                    await followers.storing(entry, .loaded(from: reply.source), for: call.key, standing.permit, store)
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

extension Standing {
    /// The standing of a load whose answer is not written any more when what it was made from changes.
    fileprivate func bound(by detail: any ReplyDetail) -> Standing {
        var standing = self
        standing.permit = permit.map(detail.bound)
        return standing
    }
}
