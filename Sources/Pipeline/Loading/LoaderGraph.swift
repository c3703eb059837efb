/// The loaders of one pipeline, composed as its plan says.
struct LoaderGraph {
    let loader: Loader
    /// What a flight of the pipeline loads.
    let load: Loader.Load
    /// Asks the first tiers before a load begins, where they can be asked so.
    let probe: Probe?
    let tiers: [Tier]
    /// The running loads, which a removal detaches.
    let flights: [Flights]

    /// Each tier reads, within its limits, and its answers go to the caches that the plan names; the tiers fall back from the first to
    /// the last, then to a stale copy, then to those that are a last resort; one load runs for each key, among several processes where a
    /// cache can hold leases.
    init(_ plan: PipelineOrder, tiers: [Tier], clock: PipelineClock, generations: Generations, horizon: Horizon?) {
        var chains = LoaderChains(plan, tiers: tiers, clock: clock)
        let last = plan.tiers.firstIndex(where: \.isLastResort) ?? tiers.count
        var whole = chains.chain(0..<last) ?? Loader(plan.name) { _ in LoadReply(.none, attempts: Attempts()) }
        if let window = plan.policy.staleIfError { whole = whole.servingStale(ifErrorWithin: window, clock: clock) }
        whole = whole.announcingRefreshes(to: tiers)
        if let resort = chains.chain(last..<tiers.count) {
            let written = plan.tiers[last...].flatMap(\.writesBackTo)
            whole = whole.fallback(to: resort.announcingRefreshes(to: tiers.filter { written.contains($0.name) }))
        }
        whole = whole.beginning(with: generations, horizon)
        load = whole.load
        probe = Probe(plan, tiers: tiers, generations: generations, horizon: horizon)
        let waiting = Flights(patience: Patience(clock: clock, overdue: .overdue(plan.name)))
        loader = whole.coalescing(in: waiting) { Flights.ID(key: $0.key, policy: $0.policy, renews: $0.renews) }
        self.tiers = tiers
        flights = [waiting] + chains.flights
    }
}

extension Loader {
    /// Takes what a load needs when it begins.
    fileprivate func beginning(with generations: Generations, _ horizon: Horizon?) -> Loader {
        Loader(name, immediate: immediate) { request in
            var begun = request
            begun.begin(with: generations, horizon)
            return try await load(begun)
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
