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
    /// the last; one load runs for each key, among several processes where a cache can hold leases.
    init(_ plan: PipelinePlan, tiers: [Tier], clock: PipelineClock, generations: Generations, horizon: Horizon?) {
        var flights = [Flights(patience: Patience(clock: clock, overdue: .overdue(plan.name)))]
        var chain: Loader?
        for (index, (tier, planned)) in zip(tiers, plan.tiers).enumerated().reversed() {
            let caches = tiers.filter { planned.writesBackTo.contains($0.name) }
            var loader = tier.loader()
            if tier.isProbed || tier.isAwaited { loader = loader.followingProbe(at: index) }
            loader = loader.storing(in: caches)
            if !tier.isCache {
                let own = Flights()
                flights.append(own)
                loader = loader.coalescingOrigin(in: own)
            }
            loader = loader.yielding(as: tier.policy, in: plan.policy, clock: clock)
            if var rest = chain {
                if tier.policy.reads, plan.tiers[(index + 1)...].contains(where: { $0.writesBackTo.contains(tier.name) }) {
                    rest = rest.sharingFlight(in: tier, promotingTo: caches)
                    // The soft timeout of the only tier below counts while one waits for another process, too. Of several, each has its own.
                    if tier.sharedFlight != nil, index + 2 == tiers.count {
                        rest = rest.yielding(as: tiers[index + 1].policy, in: plan.policy, clock: clock)
                    }
                }
                loader = loader.fallback(to: rest)
            }
            chain = loader
        }
        var whole = chain ?? Loader(plan.name) { _ in LoadReply(.none, attempts: Attempts()) }
        if let window = plan.policy.staleIfError { whole = whole.servingStale(ifErrorWithin: window, clock: clock) }
        whole = whole.announcingRefreshes(to: tiers).beginning(with: generations, horizon)
        load = whole.load
        probe = Probe(plan, tiers: tiers, generations: generations, horizon: horizon)
        loader = whole.coalescing(in: flights[0]) { Flights.ID(key: $0.key, policy: $0.policy, renews: $0.renews) }
        self.tiers = tiers
        self.flights = flights
    }
}

extension Loader {
    /// One call of an origin serves a fetch and a refresh of the same key; what is not to be stored runs on its own.
    fileprivate func coalescingOrigin(in flights: Flights) -> Loader {
        coalescing(in: flights) { request in
            // One that does not ask the origin waits for nobody who does.
            guard request.policy.asksOrigins, request.originsRestReason == nil else { return nil }
            return Flights.ID(key: request.key, policy: request.policy.writes ? .default : .noStore)
        }
    }

    /// Lets a stale copy be served after the soft timeout of a tier, where it has one and the pipeline keeps stale copies.
    fileprivate func yielding(as tier: TierPolicy, in pipeline: PipelinePolicy, clock: PipelineClock) -> Loader {
        guard let limit = tier.softTimeout, let window = pipeline.staleIfError else { return self }
        return yielding(after: limit, toStaleWithin: window, clock: clock)
    }

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
