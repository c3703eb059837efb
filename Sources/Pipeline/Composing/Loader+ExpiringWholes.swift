extension Loader {
    /// Expires the wholes that were made from another value than this loader gives. A pipeline that is no part pays nothing for it.
    func expiringWholes(madeFrom invalidation: Invalidation) -> Loader {
        Loader(name) { [wholes = invalidation.wholes] request in
            let reply = try await load(request)
            guard invalidation.isPart, request.policy.writes else { return reply }
            if request.policy == .refresh, !request.renews { await invalidation.findKeptWholes() }
            switch reply.answer {
            case .value(let entry), .notFound(let entry): await wholes.changed(request.key, to: entry, by: request.permit)
            case .none where request.policy.asksOrigins && request.originsRestReason == nil:
                // Every tier was asked, and none has a value: it may be gone, as a file that was removed.
                await wholes.changed(request.key, to: .notFound(created: invalidation.clock.now), by: request.permit)
            case .stale, .none, .failed: break
            }
            return reply
        }
    }
}
