/// The loaders of one pipeline, composed as its plan says.
struct LoaderGraph {
    let loader: Loader
    let tiers: [Tier]
    /// The running loads, which a removal detaches.
    let flights: [Flights]

    /// Each tier reads, within its limits, and its answers go to the caches that the plan names; the tiers fall back from the first to
    /// the last; one load runs for each key.
    init(_ plan: PipelinePlan, tiers: [Tier], clock: PipelineClock, generations: Generations) {
        var flights = [Flights(patience: Patience(clock: clock, overdue: .overdue(plan.name)))]
        var chain: Loader?
        for (tier, planned) in zip(tiers, plan.tiers) {
            var loader = tier.loader().storing(in: tiers.filter { planned.writesBackTo.contains($0.name) })
            if !tier.isCache {
                let own = Flights()
                flights.append(own)
                // One call of an origin serves a fetch and a refresh of the same key; what is not to be stored runs on its own.
                loader = loader.coalescing(in: own) { request in
                    // One that does not ask the origin waits for nobody who does.
                    guard request.policy.asksOrigins, request.originsRestReason == nil else { return nil }
                    return Flights.ID(key: request.key, policy: request.policy.writes ? .default : .noStore)
                }
            }
            if let limit = tier.policy.softTimeout, let window = plan.policy.staleIfError {
                loader = loader.yielding(after: limit, toStaleWithin: window, clock: clock)
            }
            chain = chain?.fallback(to: loader) ?? loader
        }
        var whole = chain ?? Loader(plan.name) { _ in LoadReply(.none, attempts: Attempts()) }
        if let window = plan.policy.staleIfError { whole = whole.servingStale(ifErrorWithin: window, clock: clock) }
        loader = whole.ticketed(by: generations).coalescing(in: flights[0]) { Flights.ID(key: $0.key, policy: $0.policy) }
        self.tiers = tiers
        self.flights = flights
    }
}

extension Loader {
    /// Takes the right to write when the load begins, before it has asked anybody.
    fileprivate func ticketed(by generations: Generations) -> Loader {
        Loader(name, immediate: immediate) { request in
            var ticketed = request
            ticketed.ticket = generations.ticket(for: request.key)
            return try await load(ticketed)
        }
    }
}

extension LoadReply {
    /// What somebody gets who shares a load that does not end before his own deadline.
    fileprivate static func overdue(_ name: String) -> LoadReply {
        let reason = "the load that was waited for did not end before the deadline"
        var reply = LoadReply(.failed(isFinal: false), attempts: Attempts(Attempt(name, .timeout, reason: reason)))
        reply.isPastDeadline = true
        return reply
    }
}
