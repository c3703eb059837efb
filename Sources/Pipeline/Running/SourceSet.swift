/// The sources of pipelines that belong together, with what they share through them: queues of writes, leases, messages between processes.
final class SourceSet: Sendable {
    private let sources: [String: SourceSpec]
    private let queues: [String: WriteQueue]
    private let clock: PipelineClock
    private let random: RandomGenerator
    private let redactor: Redactor
    private let observer: PipelineEvent.Observer?
    private let closing = Closing()
    private let connections: LiveConnections
    private let subscriptions: Subscriptions?

    /// - Parameter others: sources that only another order asks.
    init(
        of specs: [PipelineSpec], and others: [SourceSpec], clock: PipelineClock, random: RandomGenerator, redactor: Redactor,
        observers: [PipelineEvent.Observer]
    ) throws(UsageError) {
        for spec in specs { try spec.check() }
        let sources = try Self.named(specs.flatMap { $0.tiers.map(\.source) + $0.live.map(\.source) } + others)
        self.sources = sources
        queues = sources.compactMapValues { source in source.cache.map { WriteQueue($0, clock: clock) } }
        self.clock = clock
        self.random = random
        self.redactor = redactor
        observer = Self.merged(observers)
        connections = LiveConnections(clock: clock, random: random, redactor: redactor)
        subscriptions = Subscriptions(sources.compactMapValues(\.cache), redactor: redactor, observer: observer)
    }

    private static func named(_ sources: [SourceSpec]) throws(UsageError) -> [String: SourceSpec] {
        var named: [String: SourceSpec] = [:]
        for source in sources {
            if let known = named[source.name], !known.isSame(as: source) { throw .ambiguousSource(source.name) }
            named[source.name] = source
        }
        return named
    }

    private static func merged(_ observers: [PipelineEvent.Observer]) -> PipelineEvent.Observer? {
        guard let first = observers.first, observers.count > 1 else { return observers.first }
        return { [others = observers.dropFirst()] event in
            first(event)
            for observer in others { observer(event) }
        }
    }

    /// The invalidation that every order of the pipeline called `name` shares.
    func invalidation(of name: String) -> Invalidation {
        Invalidation(
            pipeline: name, clock: clock, maySubscribe: subscriptions != nil, observer: observer,
            lives: LiveKeys(clock: clock, connections: connections, observer: observer))
    }

    /// What a pipeline of `spec` runs with.
    func parts(of spec: PipelineSpec, _ invalidation: Invalidation) -> PipelineParts {
        subscriptions?.add(invalidation, to: spec.tiers.map(\.name))
        let order = PipelineOrder(spec)
        let tiers = order.tiers.map { place in
            var tier = tier(of: place.spec, in: spec.policy, confirmation: invalidation.latentConfirmation)
            if tier.isCache, !spec.live.isEmpty { tier.fed = invalidation.lives }
            return tier
        }
        return PipelineParts(order: order, tiers: tiers, clock: clock, closing: closing, observer: observer, subscriptions: subscriptions)
    }

    private func tier(of spec: TierSpec, in policy: PipelinePolicy, confirmation: Confirmation?) -> Tier {
        var tier = Tier(
            spec.name, spec.source.source, policy: spec.policy, pipeline: policy, queue: queues[spec.name],
            isReadOnly: spec.source.isOrigin, keepsNotFound: spec.source.capabilities.contains(.keepsNotFound), clock: clock,
            random: random, redactor: redactor, observer: observer)
        // Other processes change a shared cache itself: its copies can miss no message.
        if tier.publishing == nil { tier.confirmation = confirmation }
        return tier
    }

    /// Every source, by its name.
    var all: [SourceSpec] { sources.values.sorted { $0.name < $1.name } }

    /// Subscribes to the messages of other processes.
    func startListening() {
        subscriptions?.begin()
    }

    /// Writes what waits to be written; see ``Pipelines/flush(within:)``.
    func flush(within limit: Duration?) async -> [(source: String, keys: [Key])] {
        await withTaskGroup { group in
            for (name, queue) in queues {
                group.addTask { (source: name, keys: await queue.flush(within: limit)) }
            }
            return await group.reduce(into: []) { if !$1.keys.isEmpty { $0.append($1) } }.sorted { $0.source < $1.source }
        }
    }

    /// Ends everything; see ``Pipelines/shutDown(within:)``.
    func shutDown(within limit: Duration) async -> [(source: String, keys: [Key])] {
        closing.close()
        subscriptions?.end()
        let end = clock.now + limit
        let queues = queues.sorted { $0.key < $1.key }.map(\.value)
        for queue in queues {
            queue.close()
            queue.leases.close()
        }
        let unwritten = await flush(within: limit)
        await settleLeases(until: end)
        for queue in queues {
            queue.following.cancelAll()
            queue.stopWriting()
        }
        await closeSources(until: max(end, clock.now + Self.timeToClose))
        return unwritten
    }

    /// The time that a source has to close even when no time is left: enough for a database that nothing holds up.
    private static let timeToClose = Duration.milliseconds(200)

    /// Waits until every source is closed, no longer than until `end`: a source may wait for a write that hangs.
    private func closeSources(until end: Timestamp) async {
        try? await clock.race(until: end, late: {}) { [sources] in
            await withTaskGroup { group in
                for source in sources.values {
                    group.addTask { await source.source.close() }
                }
            }
        }
    }

    /// Waits until every lease is released, no longer than until `end`.
    private func settleLeases(until end: Timestamp) async {
        if queues.values.allSatisfy(\.leases.isSettled) { return }
        // A lease that is late ends by itself.
        try? await clock.race(until: end, late: {}) { [queues] in
            for queue in queues.values { try await queue.leases.settle() }
        }
    }
}

extension SourceSpec {
    /// Whether both are the same source, used in the same way.
    fileprivate func isSame(as other: SourceSpec) -> Bool {
        if identity === other.identity { return true }
        guard isOrigin == other.isOrigin, capabilities == other.capabilities, type(of: source) is AnyClass else { return false }
        return source as AnyObject === other.source as AnyObject
    }
}
