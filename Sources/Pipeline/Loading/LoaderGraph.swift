/// The loaders of one pipeline, composed in their order of asking.
struct LoaderGraph {
    let loader: Loader
    /// What a flight of the pipeline loads.
    let load: Loader.Load
    /// Gives the permit that a load of a key needs before a tier is asked whose answer may be written.
    let permit: @Sendable (Key) -> Generations.WritePermit
    let tiers: [Tier]
    /// The running loads, which a removal detaches.
    let flights: [Flights]

    /// Each tier reads, within its limits, and its answers go to the caches that the order names; the tiers fall back from the first to
    /// the last, then to a stale copy, then to those that are a last resort; one load runs for each key, among several processes where a
    /// cache can hold leases.
    init(
        _ order: PipelineOrder, tiers: [Tier], clock: PipelineClock, confirmation: Confirmation?, of invalidation: Invalidation
    ) {
        let (generations, followers) = (invalidation.generations, invalidation.followers)
        let windows = StaleWindows(
            order.policy, originsSay: order.tiers.contains { $0.spec.source.capabilities.contains(.limitsFreshness) })
        let waiting = Flights(of: order.name, clock: clock)
        var chains = LoaderChains(order, tiers: tiers, windows: windows, clock: clock, of: invalidation)
        let last = order.tiers.firstIndex(where: \.isLastResort) ?? tiers.count
        var chain = chains.chain(0..<last) ?? Loader(order.name) { _, _, _ in LoadReply(.none, attempts: []) }
        if windows.mayServeAfterError { chain = chain.servingStale(in: windows, clock: clock) }
        chain = chain.publishingRefreshes(to: tiers)
        if let resort = chains.chain(last..<tiers.count) {
            let written = order.tiers[last...].flatMap(\.writesBackTo)
            chain = chain.fallback(to: resort.publishingRefreshes(to: tiers.filter { written.contains($0.name) }))
        }
        chain = chain.followed(by: followers)
        permit = { generations.permit(for: $0, confirmedSince: confirmation?.value, loadingSince: clock.now) }
        chain = chain.beginning(with: permit, after: waiting)
        load = chain.load
        loader = chain.coalescing(in: waiting, by: \.id)
        self.tiers = tiers
        flights = [waiting] + chains.flights
    }
}

extension Loader {
    /// Gives a load its permit. What was looked up before holds if no load has ended since.
    fileprivate func beginning(with permit: @escaping @Sendable (Key) -> Generations.WritePermit, after flights: Flights) -> Loader {
        Loader(name) { call, trail, standing in
            guard standing.permit == nil else { return try await load(call, trail, standing) }
            var permitted = standing
            permitted.permit = permit(call.key)
            let isCurrent = trail.looked.map { $0.ended == flights.endedCount } ?? true
            return try await load(call, isCurrent ? trail : trail.unasked, permitted)
        }
    }
}
