internal import PipelineJSON

extension DataPipeline {
    /// Fetches the value for these arguments, and follows links in it. See ``fetch(_:following:policy:priority:timeout:)-(Key,_,_,_,_)``.
    public func fetch(
        _ arguments: [String: String], following paths: [LinkPath], policy: FetchPolicy = .default, priority: Priority? = nil,
        timeout: Duration? = nil
    ) async throws -> Outcome {
        try await fetch(key(arguments), following: paths, policy: policy, priority: priority, timeout: timeout)
    }

    /// Fetches the value for `key`, and follows links in it: each target stands beside its reference, under the link's name.
    ///
    /// The outcome is no better than those of the targets: as fresh as the one that expires first, and a failure where one fails that is neither
    /// optional nor has a default. ``Outcome/missing`` names the targets that are not there. What caches hold of the key stays as it is.
    ///
    /// Throws ``UsageError`` for a link that there is not, and like ``fetch(_:policy:priority:timeout:progress:)``. Keep the ``Pipelines`` that
    /// the pipeline belongs to: the targets are found there.
    ///
    /// - Parameters:
    ///   - paths: the links, `comments.author` for one in the values of another.
    ///   - timeout: the time for all of it; the shorter of it and the pipeline's deadline holds.
    public func fetch(
        _ key: Key, following paths: [LinkPath], policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil
    ) async throws -> Outcome {
        try check(paths)
        let end = Duration.shorter(spec.policy.deadline, timeout).map { clock.now + $0 }
        let outcome = try await fetch(key, policy: policy, priority: priority, timeout: timeout)
        return try await follow(paths, of: outcome, policy, priority, until: end)
    }

    /// Follows links in the value of `outcome`, a fetch of this pipeline; nothing of it is loaded again.
    ///
    /// See ``fetch(_:following:policy:priority:timeout:)-(Key,_,_,_,_)``.
    public func follow(
        _ paths: [LinkPath], of outcome: Outcome, policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil
    ) async throws -> Outcome {
        try check(paths)
        let end = Duration.shorter(spec.policy.deadline, timeout).map { clock.now + $0 }
        return try await follow(paths, of: outcome, policy, priority, until: end)
    }

    /// Throws for a path that leads along a link that there is not.
    package func check(_ paths: [LinkPath]) throws(UsageError) {
        for path in paths { try path.check(from: spec) { sources.directory[$0]?.spec } }
    }

    private func follow(
        _ paths: [LinkPath], of outcome: Outcome, _ policy: FetchPolicy, _ priority: Priority?, until end: Timestamp?
    ) async throws -> Outcome {
        guard case .value(let entry) = outcome.result, let payload = entry.payload, !paths.isEmpty else { return outcome }
        let demand = PartDemand(policy: policy, priority: priority ?? spec.policy.priority, end: end, isBound: end != nil)
        let run = LinkRun(sources.directory, demand, until: end, clock: clock, limit: spec.policy.maxSize)
        let begin = clock.now
        do {
            let followed = try await run.follow(paths, in: payload, of: self, outcome.key)
            return Outcome(outcome, with: followed, at: clock.now)
        } catch let error as SourceError {
            return Outcome(outcome, failedWith: error, in: paths, after: clock.now.duration(since: begin), at: clock.now)
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
    /// See ``DataPipeline/fetch(_:following:policy:priority:timeout:)-(Key,_,_,_,_)``.
    public func follow(
        _ path: LinkPath, of outcome: Outcome, policy: FetchPolicy = .default, timeout: Duration? = nil
    ) async throws -> Outcome {
        try await pipeline(named: outcome.key.pipeline).follow([path], of: outcome, policy: policy, timeout: timeout)
    }
}

extension Outcome {
    /// The outcome with links followed in its value.
    init(_ outcome: Outcome, with followed: LinkRun.Followed, at now: Timestamp) {
        var times = PartTimes()
        times.use(outcome, as: "the value")
        times.use(followed.times)
        let own = outcome.composition
        var entry = Entry(
            followed.payload, created: times.created ?? now, freshUntil: times.freshUntil, source: outcome.answer?.source,
            notKept: times.notKept)
        entry.stored = outcome.answer?.stored
        let reason = outcome.staleReason ?? times.staleReason
        var reply = LoadReply(
            reason.map { .stale(entry, reason: $0) } ?? .value(entry), from: outcome.source, attempts: outcome.attempts)
        reply.writes = outcome.log
        reply.composition = Composition(
            (own?.parts ?? []) + followed.composition.parts, missing: (own?.missing ?? []) + followed.composition.missing,
            isComplete: (own?.isComplete ?? true) && followed.composition.isComplete, notKept: own?.notKept)
        self.init(reply, for: outcome.key, at: now)
    }

    /// The outcome of a fetch whose links cannot be followed.
    init(_ outcome: Outcome, failedWith error: SourceError, in paths: [LinkPath], after duration: Duration, at now: Timestamp) {
        let ending: Attempt.Outcome = error.kind == .invalid ? .invalid : error.kind == .timeout ? .timeout : .error
        let name = paths.map(\.description).joined(separator: ", ")
        let attempt = Attempt(name, ending, duration: duration, reason: error.reason, error: error)
        var reply = LoadReply(.failed(isFinal: true), from: outcome.source, attempts: outcome.attempts + Attempts(attempt))
        reply.isPastDeadline = error.kind == .timeout
        reply.writes = outcome.log
        reply.composition = outcome.composition?.unused
        self.init(reply, for: outcome.key, at: now)
    }
}
