import Synchronization

/// The sources of pipelines that belong together, with what they share through them: queues of writes, leases, messages between processes.
///
/// The pipelines of another configuration can take over: sources that both have live on.
package final class SourceSet: Sendable {
    private struct State {
        var current = QueuedSources()
        /// The ends of sources that no pipeline has any more.
        var leaving: [UInt64: Task<QueuedSources.Unwritten, Never>] = [:]
        var last: UInt64 = 0
        /// The followers of each pipeline, also of some that are gone.
        var followers: [PipelineFollowers] = []
        /// With so many of them, those that are gone are dropped.
        var mostFollowers = 16
    }

    private struct PipelineFollowers {
        weak var followers: Followers?
    }

    private let state = Mutex(State())
    let commons: Commons
    private let subscriptions: Subscriptions
    /// The pipelines that there are.
    package let directory = PipelineDirectory()

    /// - Parameter others: sources that only another order asks.
    init(
        of specs: [PipelineSpec], and others: [SourceSpec], clock: PipelineClock, random: RandomGenerator, redactor: Redactor,
        observers: [PipelineEvent.Observer]
    ) throws(UsageError) {
        commons = Commons(clock: clock, random: random, redactor: redactor, observers: observers)
        subscriptions = Subscriptions(redactor: redactor, observer: commons.observer)
        try change(to: specs, and: others, keeping: [], leaving: [])
    }

    private var clock: PipelineClock { commons.clock }
    private var closing: Closing { commons.closing }

    /// Has the sources of `specs` from now on. Changes nothing when it throws.
    ///
    /// Sources that are the same as before live on. The others are flushed and closed when nothing uses them any more.
    ///
    /// - Parameters:
    ///   - invalidations: those of the pipelines that there still are, changed or not.
    ///   - pipelines: those on which no fetch begins any more.
    func change(
        to specs: [PipelineSpec], and others: [SourceSpec], keeping invalidations: [Invalidation], leaving pipelines: [DataPipeline]
    ) throws(UsageError) {
        for spec in specs { try spec.check() }
        for kind in specs.kindsOfAdditions { try kind.check(specs) }
        let sources = try Self.named(specs.flatMap { $0.tiers.map(\.source) + $0.additions.flatMap(\.sources) } + others)
        var names: Set<String> = []
        for spec in specs where !names.insert(spec.name).inserted { throw .repeatedPipeline(spec.name) }
        let (current, gone) = state.withLock { [clock] state in
            let gone = state.current.change(to: sources, clock: clock)
            return (state.current, gone)
        }
        subscriptions.change(to: sources, for: invalidations)
        for invalidation in invalidations { invalidation.keepCaches(of: current.queues) }
        if !gone.sources.isEmpty { leave(gone, used: pipelines) }
    }

    /// How long sources that are gone wait for the fetches that use them.
    private static let patience = Duration.seconds(30)
    /// How long a fetch may take to begin.
    private static let grace = Duration.seconds(1)
    /// How often it is checked that there are none.
    private static let look = Duration.milliseconds(50)

    /// Flushes and closes `sources` when the last fetch on `pipelines` has ended, and their background work.
    private func leave(_ sources: QueuedSources, used pipelines: [DataPipeline]) {
        let start = clock.now
        let uses = pipelines.map { pipeline in
            { @Sendable [weak pipeline, clock, background = pipeline.invalidation.background] in
                // Observers keep it, too; a fetch that is about to begin has no load yet.
                pipeline.map { clock.now < start + Self.grace || $0.flights.contains { $0.count > 0 } } ?? false || background.hasWork
            }
        }
        state.withLock { [clock] state in
            state.last += 1
            let id = state.last
            // Ends within its bounds; `shutDown` hurries it and waits for it.
            state.leaving[id] = Task { [self] in
                // What waits is for those who read the same place from now on.
                _ = await sources.flush(within: .zero)
                let end = clock.now + Self.patience
                while clock.now < end, !closing.isClosed, uses.contains(where: { $0() }) {
                    let pause = Race<Void>()
                    let id = closing.add { pause.finish(.success(())) }
                    try? await pause.value(until: clock.now + Self.look, on: clock)
                    closing.forget(id)
                }
                let unwritten = await sources.end(within: Self.timeToWrite, clock: clock)
                self.state.withLock { $0.leaving[id] = nil }
                return unwritten
            }
        }
    }

    /// The time for the writes of sources that are gone.
    private static let timeToWrite = Duration.seconds(5)

    private static func named(_ sources: [SourceSpec]) throws(UsageError) -> [String: SourceSpec] {
        var named: [String: SourceSpec] = [:]
        for source in sources {
            if let known = named[source.name], !known.isSame(as: source) { throw .ambiguousSource(source.name) }
            named[source.name] = source
        }
        return named
    }

    /// The invalidation that every order of the pipeline called `name` shares.
    ///
    /// - Parameter former: that of the pipeline whose name and keys it takes over.
    func invalidation(of name: String, after former: Invalidation? = nil) -> Invalidation {
        let invalidation = former ?? newInvalidation(of: name)
        if subscriptions.mayReceive { invalidation.allowSubscribing() }
        return invalidation
    }

    private func newInvalidation(of name: String) -> Invalidation {
        let invalidation = Invalidation(pipeline: name, commons)
        state.withLock { state in
            state.followers.append(PipelineFollowers(followers: invalidation.followers))
            guard state.followers.count > state.mostFollowers else { return }
            state.followers.removeAll { $0.followers == nil }
            state.mostFollowers = 2 * state.followers.count
        }
        return invalidation
    }

    /// Hands the caches what followers know, no longer than until `end`.
    private func settle(until end: Timestamp?) async {
        let followers = state.withLock(\.followers).compactMap(\.followers).filter { !$0.isEmpty }
        if followers.isEmpty { return }
        try? await clock.race(until: end, late: {}) { for followers in followers { try await followers.settle(nil) } }
    }

    /// What a pipeline of `spec` runs with.
    func parts(of spec: PipelineSpec, _ invalidation: Invalidation) -> PipelineParts {
        subscriptions.add(invalidation, to: spec.tiers.map(\.name))
        let order = PipelineOrder(spec)
        let (queues, limiting) = state.withLock { ($0.current.queues, $0.current.limiting) }
        let added = spec.additions.compactMap { $0.source(of: spec, invalidation, in: directory) }
        let caches = order.tiers.map(\.spec).filter { !$0.source.isOrigin }.map(\.name)
        let tiers = order.tiers.map { place in
            let source = place.spec.source
            let made = source.isPlaceholder ? added.first { $0.name == source.name }?.1 : nil
            var tier = tier(
                of: place.spec, made ?? source.source, in: spec.policy, queue: queues[place.spec.name],
                confirmation: invalidation.latentConfirmation)
            if tier.isCache {
                tier.rules.confirmations = { [followers = invalidation.followers] in followers.confirmation(of: $0) }
                tier.above = Set(caches.prefix { $0 != tier.name })
                if invalidation.hadOtherFormats(than: spec.policy.format) { tier.rules.checksPayload = true }
                // A copy may come from an origin that another order asks.
                tier.rules.judges = limiting
                for (name, source) in added { tier.rules.judges[name] = source }
            }
            return tier
        }
        return PipelineParts(
            order: order, tiers: tiers, clock: clock, closing: closing, observer: commons.observer,
            subscriptions: subscriptions.mayReceive ? subscriptions : nil)
    }

    private func tier(
        of spec: TierSpec, _ source: any Source, in policy: PipelinePolicy, queue: WriteQueue?, confirmation: Confirmation?
    ) -> Tier {
        var tier = Tier(
            spec.name, source, policy: spec.policy, pipeline: policy, queue: queue,
            isReadOnly: spec.source.isOrigin, capabilities: spec.source.capabilities, clock: clock,
            random: commons.random, redactor: commons.redactor, observer: commons.observer)
        // Other processes change a shared cache itself: its copies can miss no message.
        if tier.publishing == nil { tier.rules.confirmation = confirmation }
        return tier
    }

    /// Every source, by its name.
    var all: [SourceSpec] { state.withLock { $0.current.sources }.values.sorted { $0.name < $1.name } }

    /// Subscribes to the messages of other processes.
    func startListening() {
        if subscriptions.mayReceive { subscriptions.begin() }
    }

    /// Writes what waits to be written; see ``Pipelines/flush(within:)``.
    func flush(within limit: Duration?) async -> QueuedSources.Unwritten {
        let end = limit.map { clock.now + $0 }
        await settle(until: end)
        return await state.withLock { $0.current }.flush(within: end.map { max(.zero, $0.duration(since: clock.now)) })
    }

    /// Ends everything; see ``Pipelines/shutDown(within:)``.
    func shutDown(within limit: Duration) async -> QueuedSources.Unwritten {
        let end = clock.now + limit
        try? await clock.race(until: end, late: {}) { [closing] in await closing.beReady() }
        await settle(until: end)
        closing.close()
        subscriptions.end()
        let (current, leaving) = state.withLock { ($0.current, Array($0.leaving.values)) }
        let unwritten = await current.end(within: max(.zero, end.duration(since: clock.now)), clock: clock)
        if leaving.isEmpty { return unwritten }
        let rest = try? await clock.race(until: max(end, clock.now + QueuedSources.timeToClose), late: { QueuedSources.Unwritten() }) {
            var rest = QueuedSources.Unwritten()
            for task in leaving { rest += await task.value }
            return rest
        }
        return unwritten + (rest ?? [])
    }
}

/// What a pipeline runs with, as its sources give it.
struct PipelineParts {
    let order: PipelineOrder
    let tiers: [Tier]
    let clock: PipelineClock
    let closing: Closing
    let observer: PipelineEvent.Observer?
    /// Where this process subscribes to the others; nil when no source has messages.
    let subscriptions: Subscriptions?
}
