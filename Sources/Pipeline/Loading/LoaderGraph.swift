/// The loaders of one pipeline, composed in their order of asking.
struct LoaderGraph {
    let loader: Loader
    /// What a flight of the pipeline loads.
    let load: Loader.Load
    /// Gives a request what it needs before a tier is asked whose answer may be written: a write permit, since when this process has received
    /// the messages of others, and what owns tasks that outlive it.
    let prepare: @Sendable (inout LoadRequest) -> Void
    let tiers: [Tier]
    /// The running loads, which a removal detaches.
    let flights: [Flights]

    /// Each tier reads, within its limits, and its answers go to the caches that the order names; the tiers fall back from the first to
    /// the last, then to a stale copy, then to those that are a last resort; one load runs for each key, among several processes where a
    /// cache can hold leases.
    init(
        _ order: PipelineOrder, tiers: [Tier], clock: PipelineClock, confirmation: Confirmation?, of invalidation: Invalidation
    ) {
        let (generations, lives) = (invalidation.generations, invalidation.lives)
        let windows = StaleWindows(
            order.policy, originsSay: order.tiers.contains { $0.spec.source.capabilities.contains(.limitsFreshness) })
        let waiting = Flights(of: order.name, clock: clock)
        var chains = LoaderChains(order, tiers: tiers, windows: windows, clock: clock, lives: lives, under: waiting)
        let last = order.tiers.firstIndex(where: \.isLastResort) ?? tiers.count
        var whole = chains.chain(0..<last) ?? Loader(order.name) { _ in LoadReply(.none, attempts: []) }
        if windows.mayServeAfterError { whole = whole.servingStale(in: windows, clock: clock) }
        whole = whole.publishingRefreshes(to: tiers)
        if let resort = chains.chain(last..<tiers.count) {
            let written = order.tiers[last...].flatMap(\.writesBackTo)
            whole = whole.fallback(to: resort.publishingRefreshes(to: tiers.filter { written.contains($0.name) }))
        }
        whole = whole.expiringWholes(madeFrom: invalidation).noting(in: lives)
        prepare = { [background = invalidation.background] request in
            request.permit = generations.permit(for: request.key)
            request.confirmedSince = confirmation?.value
            request.background = background
        }
        whole = whole.beginning(with: prepare, after: waiting)
        load = whole.load
        loader = whole.coalescing(in: waiting, by: \.flightID)
        self.tiers = tiers
        flights = [waiting] + chains.flights
    }
}

extension Loader {
    /// Prepares a request that is not. What was looked up before holds if no load has ended since.
    fileprivate func beginning(with prepare: @escaping @Sendable (inout LoadRequest) -> Void, after flights: Flights) -> Loader {
        Loader(name) { request in
            guard request.permit == nil else { return try await load(request) }
            var request = request
            prepare(&request)
            if let looked = request.looked, looked.ended != flights.endedCount { request.looked = nil }
            return try await load(request)
        }
    }
}
