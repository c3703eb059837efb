extension Loader {
    /// Publishes to other processes that a fetch with the policy `refresh` has renewed a value, once each cache among `tiers` that they share
    /// holds it.
    ///
    /// A refresh in the background is not published: the copies of the others are within their own time to live, and dropping them
    /// whenever one process renews its copy would have every process load as often as all of them together.
    package func publishingRefreshes(to tiers: [Tier]) -> Loader {
        let shared = tiers.filter { $0.isCache && $0.publishing != nil }
        guard !shared.isEmpty else { return self }
        return Loader(name) { request in
            var reply = try await load(request)
            guard request.isRequestedRefresh else { return reply }
            switch reply.answer {
            case .value, .notFound:
                let log = reply.writes ?? WriteLog()
                reply.writes = log
                for tier in shared { tier.publishChange(of: request.key, log: log) }
            case .stale, .none, .failed: break
            }
            return reply
        }
    }
}
