import Synchronization

/// A pipeline that runs: fetches values, keeps the flights and generations of its keys.
public final class DataPipeline: Sendable {
    /// What it was made from.
    package let spec: PipelineSpec
    let sources: SourceSet
    private let keys: KeyMaker
    let loader: Loader
    private let load: Loader.Load
    let tiers: [Tier]
    let written: [TierReference]
    let hitPath: HitPath?
    private let wholePath: WholePath?
    /// The running loads, those that fetches wait for first.
    package let flights: [Flights]
    /// Those that fetches wait for.
    private let waiting: Flights
    let generations: Generations
    let clock: PipelineClock
    let background: BackgroundTasks
    /// The keys that are observed or fed.
    let lives: LiveKeys
    /// Whether changes may make the copy at hand of a key that is live older than its value.
    @usableFromInline let hasFeeds: Bool
    /// The caches that a merged value is written to.
    private let merged: [TierReference]
    private let closing: Closing
    private let closingID: UInt64
    private let observer: PipelineEvent.Observer?
    let invalidation: Invalidation
    private let member: UInt64
    /// Where this process subscribes to the others; nil when no source has messages.
    private let subscriptions: Subscriptions?

    /// Makes the pipeline of `spec`, alone with its sources. Nothing is opened before it is used; ``shutDown(within:)`` ends it.
    ///
    /// Throws ``UsageError`` when two different sources have one name, or the pipeline names what it does not have. Pipelines that share
    /// sources are made at once, with ``Pipelines``.
    ///
    /// - Parameters:
    ///   - random: what jitter draws from. One with a seed makes a run repeatable.
    ///   - redactor: masks what is secret in traces, events and reports.
    ///   - observers: receive events, in this order. Without any, no event is made.
    public convenience init(
        _ spec: PipelineSpec, clock: PipelineClock = .system, random: RandomGenerator = .system, redactor: Redactor = Redactor(),
        observers: [PipelineEvent.Observer] = []
    ) throws(UsageError) {
        let sources = try SourceSet(of: [spec], and: [], clock: clock, random: random, redactor: redactor, observers: observers)
        self.init(spec, of: sources, sources.invalidation(of: spec.name))
    }

    /// - Parameter invalidation: shared with the same pipeline in other orders.
    init(_ spec: PipelineSpec, of sources: SourceSet, _ invalidation: Invalidation) {
        let parts = sources.parts(of: spec, invalidation)
        self.spec = spec
        self.sources = sources
        keys = KeyMaker(spec)
        self.invalidation = invalidation
        generations = invalidation.generations
        background = invalidation.background
        lives = invalidation.lives
        hasFeeds = !spec.live.isEmpty
        clock = parts.clock
        let graph = LoaderGraph(
            parts.order, tiers: parts.tiers, clock: clock, confirmation: invalidation.latentConfirmation, of: invalidation)
        loader = graph.loader
        load = graph.load
        tiers = graph.tiers
        written = graph.tiers.filter { $0.isCache && $0.policy.writes }.map { TierReference($0) }
        let targets = parts.order.targetsOfOrigins
        merged = written.filter { targets.contains($0.tier.name) }
        (flights, waiting) = (graph.flights, graph.flights[0])
        hitPath = HitPath(
            graph.tiers, storingFirstIn: Array(parts.order.tiers.first?.writesBackTo ?? []), flights: graph.flights[0], lives: lives,
            closing: parts.closing)
        wholePath = WholePath(graph.tiers, flights: graph.flights[0])
        closing = parts.closing
        observer = parts.observer
        subscriptions = parts.subscriptions
        member = invalidation.join(graph.flights, graph.tiers)
        closingID = closing.add { [flights = graph.flights, background = invalidation.background, lives] in
            lives.end()
            for flights in flights { flights.end() }
            background.cancelAll()
        }
    }

    /// Subscribes to the messages of others, where a source of this pipeline publishes any, or a source of another order that exists.
    func subscribe() {
        if let subscriptions, invalidation.confirmation != nil { subscriptions.begin() }
    }

    deinit {
        closing.forget(closingID)
        invalidation.leave(member)
    }

    /// The tiers that keep copies.
    var caches: [Tier] { tiers.filter(\.isCache) }

    /// Whether answers of its origins are kept where they outlive the process.
    var keepsValues: Bool { merged.contains { $0.tier.outlivesProcess && $0.tier.policy.reads } }

    /// The key of a fetch with these arguments; keep it where the same one is fetched often.
    public func key(_ arguments: [String: String] = [:]) throws(UsageError) -> Key {
        try keys.key(arguments)
    }

    /// The key of a fetch with these arguments; of a single one, no dictionary is made.
    @usableFromInline
    func key(of arguments: Arguments) throws(UsageError) -> Key { try keys.key(arguments) }

    /// Fetches the value for these arguments. See ``fetch(_:policy:priority:timeout:progress:)``.
    @inlinable
    public func fetch(
        _ arguments: Arguments = [:], policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Outcome {
        if hasFeeds, isLive {
            return try await fetch(key(of: arguments), policy: policy, priority: priority, timeout: timeout, progress: progress)
        }
        switch try begin(arguments, policy, priority, timeout, progress) {
        case .answered(let outcome): return outcome
        case .waiting(let waiter): return outcome(of: try await reply(for: waiter))
        }
    }

    /// Fetches the value for the arguments of a dictionary, and follows links in it. See
    /// ``fetch(_:policy:priority:timeout:progress:)-(Key,_,_,_,_)`` and
    /// ``fetch(_:following:policy:priority:timeout:progress:)-(Key,_,_,_,_,_)``.
    @_disfavoredOverload  // A literal is no dictionary, which would cost as much as the rest of a hit.
    public func fetch(
        _ arguments: [String: String], following paths: [String] = [], policy: FetchPolicy = .default, priority: Priority? = nil,
        timeout: Duration? = nil, progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Outcome {
        let key = try keys.key(arguments)
        if paths.isEmpty { return try await fetch(key, policy: policy, priority: priority, timeout: timeout, progress: progress) }
        return try await fetch(key, following: paths, policy: policy, priority: priority, timeout: timeout, progress: progress)
    }

    /// Fetches the value for `key`: asks the tiers in order, writes the answer back, and says what each did.
    ///
    /// A failure is an outcome, too. Throws `CancellationError` at once when the task is cancelled; other fetches of the same load continue.
    /// Throws ``ShutDownError`` when the pipelines were shut down, before or during the fetch. Throws nothing else.
    ///
    /// Fetches of the key that begin during the load share it. They may wait for the task executor that the first fetch prefers, but never for
    /// its actor.
    ///
    /// - Parameters:
    ///   - priority: the order in which requests are sent when they must wait for an origin; nil for the pipeline's own. A load that several
    ///     fetches wait for has the greatest of theirs.
    ///   - timeout: the time for this fetch; the shorter of it and the pipeline's deadline holds.
    ///   - progress: receives how much of an origin's answer has come, at most ten times a second, also of a load that runs already. Nothing
    ///     of it is handed out before it is whole. Not called for answers of caches, nor by sources that do not report.
    @inlinable
    public func fetch(
        _ key: consuming Key, policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Outcome {
        if hasFeeds, let live = try unsettled(key, policy) { try await live.settleForFetch() }
        switch try begin(key, policy, priority, timeout, progress) {
        case .answered(let outcome): return outcome
        case .waiting(let waiter): return outcome(of: try await reply(for: waiter))
        }
    }

    /// Fetches one of several keys, or a part.
    func fetch(
        _ key: Key, policy: FetchPolicy, priority: Priority?, timeout: Duration?, progress: LoadProgress.Observer? = nil,
        as member: Gathering.Member? = nil, for part: PartDemand?
    ) async throws -> Outcome {
        try closing.check()
        if hasFeeds, let live = try unsettled(key, policy) { try await live.settleForFetch() }
        switch begin(key, policy, priority, timeout, progress, after: nil, as: member, part) {
        case .answered(let outcome): return outcome
        case .waiting(let waiter): return outcome(of: try await reply(for: waiter))
        }
    }

    /// Whether any key is live.
    @usableFromInline
    var isLive: Bool { !lives.isEmpty }

    /// The key, where it is fed and its copy at hand must be brought up to date before it is read: it may lack a change, or need to be
    /// confirmed. Throws what a fetch throws that has not begun.
    @usableFromInline
    func unsettled(_ key: Key, _ policy: FetchPolicy) throws -> LiveKey? {
        guard policy.readsCaches, let live = lives[key], live.isDirty.load(ordering: .acquiring) else { return nil }
        try Task.checkCancellation()
        try closing.check()
        return live
    }

    /// How far a fetch comes on the calling thread.
    @usableFromInline
    enum Beginning: ~Copyable {
        case answered(Outcome)
        case waiting(Waiter)
    }

    // A fetch is inlined where it is called, so that an answer at hand costs a call of `begin`. What it does before and after it waits is kept
    // out of the async functions: their variables stay with each waiting task, and ten thousand that wait are to fit into one piece of memory
    // each that the runtime hands out.

    /// The caller's reference to the key goes to the outcome: a hit counts none of its own.
    @usableFromInline
    @inline(never)
    func begin(
        _ key: consuming Key, _ policy: FetchPolicy, _ priority: Priority?, _ timeout: Duration?, _ progress: LoadProgress.Observer?
    ) throws -> Beginning {
        let key = key
        try Task.checkCancellation()
        try closing.check()
        var looked: Looked?
        if policy.readsCaches, !hasFeeds || lives[key] == nil, let outcome = hitPath?.outcome(for: key, noting: &looked) {
            return .answered(outcome)
        }
        return begin(key, policy, priority, timeout, progress, after: looked.take())
    }

    /// As far as arguments lead to a copy at hand, no key is made.
    @usableFromInline
    @inline(never)
    func begin(
        _ arguments: Arguments, _ policy: FetchPolicy, _ priority: Priority?, _ timeout: Duration?, _ progress: LoadProgress.Observer?
    ) throws -> Beginning {
        try Task.checkCancellation()
        try closing.check()
        var looked: (key: Key, Looked)?
        if policy.readsCaches, let hitPath {
            let outcome = keys.withText(of: arguments) { hitPath.outcome(forText: $0, hash: $1, noting: &looked) }
            if let outcome { return .answered(outcome) }
        }
        let key = try looked?.key ?? keys.key(arguments)
        return begin(key, policy, priority, timeout, progress, after: looked?.1)
    }

    @inline(never)
    private func begin(
        _ key: Key, _ policy: FetchPolicy, _ priority: Priority?, _ timeout: Duration?, _ progress: LoadProgress.Observer?,
        after looked: consuming Looked?, as member: Gathering.Member? = nil, _ part: PartDemand? = nil
    ) -> Beginning {
        var looked = looked
        // The loads of a composite within another count together with those of that.
        if looked == nil, policy.readsCaches, part == nil, let outcome = wholePath?.outcome(for: key, noting: &looked) {
            return .answered(outcome)
        }
        subscribe()
        let limit = Duration.shorter(spec.policy.deadline, timeout)
        // What waits for nothing has no use for the time when it began, unless a limit counts from there, or an observer wants to know.
        let start = limit == nil && observer == nil ? nil : clock.now
        // What is left for a part ends with the whole, and at no other moment than that of the other parts.
        let end = timeout == nil ? nil : part?.end
        let deadline = limit.flatMap { limit in start.map { min($0 + limit, end ?? .distantFuture) } }
        let priority = priority ?? spec.policy.priority
        let id = Flights.ID(key: key, policy: policy)
        // Whether something may be read on this thread: not where only memory could be, and has nothing.
        let memoryMayAnswer = looked.map { !$0.isMissing } ?? (hitPath != nil)
        let isReadable = policy.readsCaches && (loader.begin != nil || memoryMayAnswer)
        if !isReadable, progress == nil, member == nil, part == nil {
            return .waiting(
                Waiter(id, waiting.nextNumber(), since: start ?? clock.now, until: deadline, priority: priority, endedAtMiss: looked?.ended)
            )
        }
        var request = LoadRequest(id.key, policy: policy, deadline: deadline)
        (request.priority, request.progress, request.looked) = (priority, progress, looked)
        (request.member, request.part) = (member, part)
        if isReadable {
            if let reply = hitPath?.answer(&request) { return .answered(outcome(of: SharedReply(reply), for: id, since: nil, as: member)) }
            if let reply = loader.begin?(&request) { return .answered(outcome(of: SharedReply(reply), for: id, since: start, as: member)) }
        }
        return .waiting(Waiter(id, waiting.nextNumber(), for: request, since: start ?? clock.now))
    }

    /// Joins the load of the key, or starts it. When a load ended at the shorter deadline of another fetch, starts a new one.
    ///
    /// - Returns: the reply, and the waiter that it is for.
    @usableFromInline
    @inline(never)
    func reply(for first: Waiter) async throws -> (SharedReply, Waiter) {
        var next = first
        while true {
            let waiter = next
            // As `Flights.reply`, with less to hold on to.
            let reply = try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { waiting.join(waiter, $0, load) }
            } onCancel: {
                waiting.leave(waiter)
            }
            guard let another = again(waiter, after: reply) else { return (reply, waiter) }
            next = another
        }
    }

    /// The waiter for a new load, when this load ended at the shorter deadline of another fetch; nil when the reply holds.
    @inline(never)
    private func again(_ waiter: Waiter, after reply: SharedReply) -> Waiter? {
        reply.value.isPastDeadline ? waiter.again(waiting.nextNumber(), at: clock.now) : nil
    }

    @usableFromInline
    @inline(never)
    func outcome(of arrived: (reply: SharedReply, waiter: Waiter)) -> Outcome {
        let (reply, waiter) = arrived
        return outcome(of: reply, for: waiter.id, since: waiter.start, joined: waiter.joined, as: waiter.member)
    }

    /// Ends a fetch: has the value refreshed where the reply asks for it, and reports the outcome.
    ///
    /// - Parameters:
    ///   - start: when the fetch began; nil for one that waited for nothing.
    ///   - joined: for how long the load had run when the fetch joined it; nil for a load of its own.
    private func outcome(
        of reply: consuming SharedReply, for id: Flights.ID, since start: Timestamp?, joined: Duration? = nil, as member: Gathering.Member?
    ) -> Outcome {
        if reply.value.wantsRefresh {
            if let member { member.keepRefresh(of: id.key, from: reply.value) } else { refresh(id.key, from: reply.value) }
        }
        let now = clock.now
        if id.policy == .offline { reply = SharedReply(reply.value.offline(at: now)) }
        let outcome = Outcome(reply, for: id.key, at: now, joined: joined)
        if let observer { observer(.fetch(outcome, duration: start.map { now.duration(since: $0) } ?? .zero)) }
        return outcome
    }

    /// Throws when the pipelines were shut down.
    func checkOpen() throws(ShutDownError) { try closing.check() }

    /// The fresh copy of `key` that memory has at hand, where no feed can make it older than its value.
    func fresh(_ key: Key) -> Outcome? {
        var looked: Looked?
        return !hasFeeds || lives[key] == nil ? hitPath?.outcome(for: key, noting: &looked) : nil
    }

    /// The copy of `key` that memory has at hand, when that is an answer. Nothing is loaded.
    func atHand(_ key: Key) -> Outcome? {
        var looked: Looked?
        return closing.isClosed ? nil : hitPath?.outcome(for: key, noting: &looked)
    }

    /// Loads the value from its origins, by a load that begins now, and writes it back. Fetches that come meanwhile wait for it. Ends when the
    /// load does, however that is.
    ///
    /// - Parameter entry: the present value, where its origin can confirm it.
    func loadAnew(_ key: Key, confirming entry: Entry?) async {
        invalidation.detach(.key(key))
        var request = LoadRequest(key, policy: .refresh, deadline: spec.policy.deadline.map { clock.now + $0 })
        request.priority = spec.policy.priority
        request.isOfFeed = true
        if let entry, let source = entry.source {
            request.expired = [ExpiredCopy(source: source, entry: entry, since: clock.now)]
        }
        _ = try? await loader.load(request)
    }

    /// The copy of `key` in the first cache that has one, also an expired one, and the name of that cache; nil without any. No origin is asked.
    func cached(_ key: Key) async -> (entry: Entry, source: String?, isStale: Bool)? {
        let request = LoadRequest(key, policy: .cacheOnly, deadline: spec.policy.deadline.map { clock.now + $0 })
        guard let reply = try? await loader.load(request) else { return nil }
        if case .value(let entry) = reply.answer { return (entry, reply.source, false) }
        return reply.expired.first.map { ($0.entry, $0.source, true) }
    }

    /// Hands a value that changes were merged into to every cache that an origin's answer goes to.
    ///
    /// - Parameter landed: when the value that they were merged into was stored.
    func store(merged entry: Entry, landed: Timestamp, for key: Key, _ permit: Generations.WritePermit) async {
        var request = LoadRequest(key, policy: .refresh)
        request.permit = permit
        let log = WriteLog()
        for cache in merged { await cache.store(merged: entry, landed: landed, for: request, log: log) }
        await invalidation.wholes.changed(key, to: entry)
    }

    /// Loads the value again in the background: one refresh for each key, which outlives the fetch that asked for it. Returns whether it
    /// started.
    @discardableResult
    func refresh(_ key: Key, from reply: LoadReply, as member: Gathering.Member? = nil) -> Bool {
        background.start(key) { [self] in
            defer { member?.leave() }
            var request = LoadRequest(key, policy: .refresh, deadline: spec.policy.deadline.map { clock.now + $0 })
            // The served value is known: an origin that can confirm it does not have to send it again.
            if let entry = reply.entry, let source = reply.source {
                request.expired = [ExpiredCopy(source: source, entry: entry, since: clock.now)]
            }
            request.renews = true
            request.priority = .background
            request.member = member
            let begin = clock.now
            guard let reply = try? await loader.load(request), let observer else { return }
            let outcome = Outcome(reply, for: key, at: clock.now)
            observer(.refresh(outcome, duration: outcome.ended.duration(since: begin)))
        }
    }

    /// What each cache of the pipeline holds, in the order of the tiers, expired copies included.
    ///
    /// Values that still wait to be written are not listed. A cache that cannot be asked is in the report with the reason.
    ///
    /// - Parameter limit: the most copies to list of each cache, at least 1.
    package func contents(limit: Int = 100) async throws -> [TierContents] {
        try closing.check()
        var report: [TierContents] = []
        for tier in tiers where tier.isCache {
            try Task.checkCancellation()
            report.append(await tier.contents(of: spec.name, limit: max(1, limit)))
        }
        return report
    }

    /// Writes what waits for `key`, and returns when each cache holds it or has failed to take it.
    public func flush(_ key: Key) async throws(ShutDownError) {
        try closing.check()
        await lives[key]?.settle()
        for tier in tiers { await tier.queue?.flush(key) }
    }

    /// Ends this pipeline, and those that were made together with it: see ``Pipelines/shutDown(within:)``.
    ///
    /// - Returns: the keys that could not be written, by source.
    @discardableResult
    public func shutDown(within limit: Duration = .seconds(5)) async -> [(source: String, keys: [Key])] {
        await sources.shutDown(within: limit)
    }
}
