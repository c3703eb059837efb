public import Pipeline
import PipelineLive
internal import PipelineJSON

extension DataPipeline {
    /// Fetches the value for `key`, and follows links in it: each target stands beside its reference, under the link's name.
    ///
    /// The outcome is no better than those of the targets: as fresh as the one that expires first, and a failure where one fails that is neither
    /// optional nor has a default. `Outcome.missing` names the targets that are not there. What caches hold of the key stays as it is.
    ///
    /// Throws `UsageError` for a link that there is not, and like ``fetch(_:policy:priority:timeout:progress:)-(Key,_,_,_,_)``. Keep the `Pipelines` that
    /// the pipeline belongs to: the targets are found there.
    ///
    /// - Parameters:
    ///   - paths: the links, `comments.author` for one in the values of another.
    ///   - timeout: the time for all of it; the shorter of it and the pipeline's deadline holds.
    ///   - progress: receives how much of the value has come; not of what links lead to.
    public func fetch(
        _ key: Key, following paths: [String], policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Outcome {
        let paths = try check(paths)
        try Task.checkCancellation()
        let demand = demand(policy, priority, timeout)
        let outcome = try await fetch(key, policy: policy, priority: priority, timeout: timeout, progress: progress, for: demand)
        return try await follow(paths, of: outcome, demand)
    }

    /// Fetches the value for the arguments of a dictionary, and follows links in it.
    public func fetch(
        _ arguments: [String: String], following paths: [String], policy: FetchPolicy = .default, priority: Priority? = nil,
        timeout: Duration? = nil, progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Outcome {
        try await fetch(key(arguments), following: paths, policy: policy, priority: priority, timeout: timeout, progress: progress)
    }

    /// Follows links in the value of `outcome`, a fetch of this pipeline; nothing of it is loaded again.
    ///
    /// See ``fetch(_:following:policy:priority:timeout:progress:)-(Key,_,_,_,_,_)``.
    package func follow(
        _ paths: [String], of outcome: Outcome, policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil
    ) async throws -> Outcome {
        try await follow(check(paths), of: outcome, demand(policy, priority, timeout))
    }

    /// Reads paths of links. Throws for one that leads along a link that there is not.
    @discardableResult
    package func check(_ paths: [String]) throws(UsageError) -> [LinkPath] {
        let paths = paths.map(LinkPath.init)
        for path in paths { try path.check(from: spec) { sources.directory[$0]?.spec } }
        return paths
    }

    /// How the value and what links lead to are asked for together.
    private func demand(_ policy: FetchPolicy, _ priority: Priority?, _ timeout: Duration?) -> PartDemand {
        let end = Duration.shorter(spec.policy.deadline, timeout).map { clock.now + $0 }
        return PartDemand(
            policy: policy, priority: priority ?? spec.policy.priority, end: end, isBound: end != nil,
            concurrency: spec.combine?.concurrency ?? FetchBounds.usualCalls)
    }

    private func follow(_ paths: [LinkPath], of outcome: Outcome, _ demand: PartDemand) async throws -> Outcome {
        guard case .value(let entry) = outcome.result, let payload = entry.payload, !paths.isEmpty else { return outcome }
        let run = LinkRun(sources.directory, demand, until: demand.end, clock: clock, limit: spec.policy.maxSize)
        do {
            let followed = try await run.follow(paths, in: payload, of: self, outcome.key)
            return Outcome(outcome, with: followed, at: clock.now)
        } catch let failure as LinkError {
            return Outcome(outcome, failedWith: failure.error, of: failure.part, at: clock.now)
        } catch let error as SourceError {
            return Outcome(outcome, failedWith: error, at: clock.now)
        }
    }
}

extension Pipelines {
    /// Follows a link in the value of `outcome`: the target stands beside its reference, under the link's name. Nothing is loaded before.
    ///
    /// ```swift
    /// let post = try await pipelines.pipeline(named: "post").fetch(["id": "7"])
    /// let whole = try await pipelines.follow("author", of: post)
    /// ```
    ///
    /// See `DataPipeline.fetch(_:following:policy:priority:timeout:progress:)`.
    public func follow(
        _ path: String, of outcome: Outcome, policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil
    ) async throws -> Outcome {
        try await pipeline(named: outcome.key.pipeline)
            .follow([path], of: outcome, policy: policy, priority: priority, timeout: timeout)
    }
}

extension Outcome {
    /// The outcome for a whole that can do without it: where no origin was asked, that caches have nothing is not the knowledge that there is
    /// nothing.
    func asked(with policy: FetchPolicy) -> Outcome {
        guard !policy.asksOrigins, case .notFound = result, answer == nil else { return self }
        var reply = LoadReply(.failed(isFinal: false), attempts: attempts)
        reply.obstacle = .unasked(policy)
        return Outcome(reply, for: key, at: ended)
    }

    /// The outcome with links followed in its value.
    init(_ outcome: Outcome, with followed: LinkRun.Followed, at now: Timestamp) {
        var times = PartTimes()
        times.use(outcome, as: "the value")
        times.use(followed.times)
        let own = outcome.composition
        var entry = Entry(
            followed.payload, created: times.created ?? now, freshUntil: times.freshUntil, source: outcome.answer?.source,
            cacheControl: times.cacheControl, notKept: times.notKept)
        entry.stored = outcome.answer?.stored
        let reason = outcome.staleReason ?? times.staleReason
        var reply = LoadReply(
            reason.map { .stale(entry, reason: $0) } ?? .value(entry), from: outcome.source, attempts: outcome.attempts)
        reply.writes = outcome.log
        reply.composition = Composition(
            (own?.parts ?? []) + followed.composition.parts, missing: outcome.missing + followed.composition.missing,
            isComplete: (own?.isComplete ?? true) && followed.composition.isComplete, notKept: own?.notKept,
            links: (own?.links ?? []) + followed.composition.links, attempted: own?.attempted ?? [])
        self.init(reply, for: outcome.key, at: now)
    }

    /// The outcome of a fetch whose links cannot be followed. Its attempts are those of the value, which was there.
    ///
    /// - Parameter part: the target that failed, or the reference that is none; nil where it is neither.
    init(_ outcome: Outcome, failedWith error: SourceError, of part: PartOutcome? = nil, at now: Timestamp) {
        var reply = LoadReply(.failed(isFinal: true), attempts: outcome.attempts)
        reply.obstacle = .links(error)
        reply.writes = outcome.log
        reply.composition = Composition(outcome.parts + [part].compactMap(\.self), attempted: outcome.attemptedParts)
        self.init(reply, for: outcome.key, at: now)
    }
}
