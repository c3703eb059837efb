/// Composes the loaders of tiers that fall back from one to the next.
struct LoaderChains {
    private let order: PipelineOrder
    private let tiers: [Tier]
    private let windows: StaleWindows
    private let clock: PipelineClock
    private let followers: Followers
    /// The owner of loads that outlive their fetches.
    private let background: BackgroundTasks
    /// The running calls of origins.
    private(set) var flights: [Flights] = []

    init(_ order: PipelineOrder, tiers: [Tier], windows: StaleWindows, clock: PipelineClock, of invalidation: Invalidation) {
        self.order = order
        self.tiers = tiers
        self.windows = windows
        self.clock = clock
        (followers, background) = (invalidation.followers, invalidation.background)
    }

    /// The tiers of `range`, from the first to the last; nil when there are none.
    mutating func chain(_ range: Range<Int>) -> Loader? {
        var chain: Loader?
        var caches: (loader: Loader, mayBlock: Bool)?
        for index in range.reversed() {
            let (tier, planned) = (tiers[index], order.tiers[index])
            let targets = tiers.filter { planned.writesBackTo.contains($0.name) }
            let below = planned.spec.source.capabilities.contains(.limitsFreshness) ? tiers[(index + 1)..<range.upperBound] : []
            var loader = self.loader(of: tier, at: index, storingIn: targets, confirming: below.filter { $0.isCache && $0.policy.reads })
            if tier.isCache, tier.policy.reads {
                let (own, below) = (loader, caches)
                let mayBlock = below?.mayBlock ?? false || tier.source.style == .onThread
                caches = (below.map { own.fallback(to: $0.loader) } ?? own, mayBlock)
                if let below, windows.mayServeWhileRevalidating {
                    loader = own.preferringFresh(from: below.loader, elsewhere: below.mayBlock, clock: clock)
                }
            }
            if var rest = chain {
                if tier.policy.reads, order.tiers[(index + 1)..<range.upperBound].contains(where: { $0.writesBackTo.contains(tier.name) }) {
                    rest = rest.sharingFlight(in: tier, promotingTo: targets)
                    // The soft timeout of the only tier below also counts while this process waits for another. Of several tiers, each has
                    // its own.
                    if tier.sharedFlight != nil, index + 2 == range.upperBound {
                        rest = rest.yielding(as: tiers[index + 1].policy, in: windows, clock: clock, background)
                    }
                }
                loader = loader.fallback(to: rest)
            }
            chain = loader
        }
        return chain
    }

    private mutating func loader(of tier: Tier, at index: Int, storingIn caches: [Tier], confirming below: [Tier]) -> Loader {
        let isLastResort = order.tiers[index].isLastResort
        let isAtOnce = tiers[...index].allSatisfy(\.answersAtOnce)
        var loader = tier.loader(atOnce: isAtOnce) { [followers, clock] reading in
            // A default is not what the origin has.
            if tier.isCache || isLastResort { return reading }
            return reading.confirmingCopies(in: below).landing(in: followers) { caches.limit(of: $0, at: clock.now) }
        }
        if isAtOnce, !tier.isImmediate { loader = loader.wanted() }
        if isLastResort { loader = loader.changing { reply, _ in reply.isSubstitute = true } }
        loader = loader.storing(in: caches, followedBy: followers)
        if !tier.isCache {
            let own = Flights(of: tier.name, clock: clock, areReads: true)
            flights.append(own)
            loader = loader.coalescingOrigin(in: own, clock: clock, asAsked: tier.capabilities.contains(.asksOthers))
        }
        // Once a last resort is asked, there is no copy to serve instead.
        return isLastResort ? loader : loader.yielding(as: tier.policy, in: windows, clock: clock, background)
    }
}

extension Loader {
    /// A fetch and a refresh of the same key share one call of an origin; a load that must not be stored runs on its own.
    ///
    /// - Parameter asAsked: whether loads of different policies are different ones, as those of a source that asks others.
    fileprivate func coalescingOrigin(in flights: Flights, clock: PipelineClock, asAsked: Bool) -> Loader {
        coalescing(in: flights, clock: clock) { call, standing in
            if asAsked {
                let id = Call.ID(key: call.key, policy: call.partPolicy, purpose: call.id.purpose == .recall ? .recall : .fetch)
                return standing.originsRestReason == nil ? id : nil
            }
            // A load that does not ask the origin does not wait for one that does.
            guard call.policy.asksOrigins, standing.originsRestReason == nil else { return nil }
            return Call.ID(key: call.key, policy: call.policy.writes ? .default : .noStore)
        }
    }

    /// Ends a load that every fetch has left meanwhile: a task whose load runs on the calling thread cannot be cancelled yet.
    fileprivate func wanted() -> Loader {
        Loader(name) { call, trail, standing in
            let reply = try await load(call, trail, standing)
            if reply.goesOn, let flight = standing.flight, !flight.isRunning { throw CancellationError() }
            return reply
        }
    }

    /// Lets a stale copy be served after the soft timeout of a tier, where it has one and the pipeline keeps stale copies.
    fileprivate func yielding(as tier: TierPolicy, in windows: StaleWindows, clock: PipelineClock, _ background: BackgroundTasks) -> Loader
    {
        guard let limit = tier.softTimeout, windows.mayServeAfterError else { return self }
        return yielding(after: limit, toStaleIn: windows, clock: clock, in: background)
    }
}
