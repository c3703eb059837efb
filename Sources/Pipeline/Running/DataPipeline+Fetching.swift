import Synchronization

// A fetch can be inlined where it is called: then a hit is one call, of `begin`. What a fetch needs before and after it waits stands in functions
// that are not async, since the variables of an async function stay with the waiting task. The runtime gives a task its memory in pieces of 1 KB;
// a fetch that waits is to need one of them.

extension DataPipeline {
    /// Fetches the value for these arguments. See ``fetch(_:policy:priority:timeout:progress:)``.
    @inlinable
    public func fetch(
        _ arguments: Arguments = [:], policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Outcome {
        if hasAdditions, isFollowed {
            return try await fetch(key(of: arguments), policy: policy, priority: priority, timeout: timeout, progress: progress)
        }
        switch try begin(arguments, policy, priority, timeout, progress) {
        case .answered(let outcome): return outcome
        case .waiting(let waiter): return outcome(of: try await reply(for: waiter))
        }
    }

    /// Fetches the value for the arguments of a dictionary. See ``fetch(_:policy:priority:timeout:progress:)-(Key,_,_,_,_)``.
    @_disfavoredOverload  // A literal is no dictionary, which would cost as much as the rest of a hit.
    public func fetch(
        _ arguments: [String: String], policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Outcome {
        try await fetch(keys.key(arguments), policy: policy, priority: priority, timeout: timeout, progress: progress)
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
        if hasAdditions, follows(key, policy) { try await settle(key) }
        switch try begin(key, policy, priority, timeout, progress) {
        case .answered(let outcome): return outcome
        case .waiting(let waiter): return outcome(of: try await reply(for: waiter))
        }
    }

    /// Fetches one of several keys, or a part.
    ///
    /// - Parameter recalling: whether a whole may be made from the last values of its parts, as for its observers; nil for what the part says.
    package func fetch(
        _ key: Key, policy: FetchPolicy, priority: Priority?, timeout: Duration?, progress: LoadProgress.Observer? = nil,
        as member: Gathering.Member? = nil, for part: PartDemand?, recalling recalls: Bool? = nil
    ) async throws -> Outcome {
        try closing.check()
        if hasAdditions, follows(key, policy) { try await settle(key) }
        let recalls = asksOthers && recalls ?? part?.recalls ?? false
        switch begin(key, policy, priority, timeout, progress, after: nil, as: member, part, recalling: recalls) {
        case .answered(let outcome): return outcome
        case .waiting(let waiter): return outcome(of: try await reply(for: waiter))
        }
    }

    /// Whether any key is followed.
    @usableFromInline
    @inline(__always)
    var isFollowed: Bool { !followers.isEmpty }

    /// Whether something may know more of `key` than the caches that a fetch reads.
    @usableFromInline
    func follows(_ key: Key, _ policy: FetchPolicy) -> Bool { policy.readsCaches && followers.follow(key) }

    /// Has the caches get what they do not have yet of a key. Throws `CancellationError` when the caller is cancelled meanwhile.
    @usableFromInline
    func settle(_ key: Key) async throws {
        try closing.check()
        try await followers.settle(key, mayLeave: true)
    }

    /// How far a fetch comes on the calling thread.
    @usableFromInline
    enum Beginning: ~Copyable {
        case answered(Outcome)
        /// To be given to ``DataPipeline/reply(for:)``: others may wait already for the load that this one is to start.
        case waiting(Waiter)
    }

    /// Answers a fetch from a copy at hand, or makes what waits for a load.
    ///
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
        if policy.readsCaches, !hasAdditions || !followers.follow(key), let outcome = hitPath?.outcome(for: key, noting: &looked) {
            return .answered(outcome)
        }
        return begin(key, policy, priority, timeout, progress, after: looked.take())
    }

    /// Answers a fetch by arguments from a copy at hand, or makes what waits. Where they lead to a copy at hand, no key is made.
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

    /// Answers from the prompt path or a file, or makes what waits, for a key of which memory has no fresh copy.
    ///
    /// - Parameters:
    ///   - looked: what memory has; nil where it was not asked.
    ///   - member: the place among keys that are fetched together; nil for a key alone.
    ///   - part: what the whole asks for; nil for no part.
    @inline(never)
    private func begin(
        _ key: Key, _ policy: FetchPolicy, _ priority: Priority?, _ timeout: Duration?, _ progress: LoadProgress.Observer?,
        after looked: Looked?, as member: Gathering.Member? = nil, _ part: PartDemand? = nil, recalling recalls: Bool = false
    ) -> Beginning {
        // The loads of a part within others count together with those of the whole fetch.
        if policy.readsCaches, part == nil, let outcome = promptPath?.outcome(for: key) { return .answered(outcome) }
        subscribe()
        let limit = Duration.shorter(spec.policy.deadline, timeout)
        // What waits for nothing has no use for the time when it began, unless a limit counts from there, or an observer wants to know.
        let start = limit == nil && observer == nil ? nil : clock.now
        // What is left for a part ends with the whole, and at no other moment than that of the other parts.
        let end = timeout == nil ? nil : part?.end
        let deadline = limit.flatMap { limit in start.map { min($0 + limit, end ?? .distantFuture) } }
        let priority = priority ?? spec.policy.priority
        let id = Call.ID(key: key, policy: policy, purpose: recalls ? .recall : .fetch)
        // Memory may have another answer than a fresh copy, and a file was not asked yet.
        let first = policy.readsCaches && looked?.isMissing != true ? hitPath : nil
        if first == nil, progress == nil, member == nil, part == nil {
            return .waiting(
                Waiter(id, waiting.nextNumber(), since: start ?? clock.now, until: deadline, priority: priority, endedAtMiss: looked?.ended)
            )
        }
        let call = Call(id, deadline: deadline, priority: priority, as: member, for: part)
        var (trail, standing) = (Trail(), Standing())
        trail.looked = looked
        if let first, let reply = first.answer(call, &trail, &standing) {
            return .answered(outcome(of: SharedReply(reply), for: id, since: first.isImmediate ? nil : start, as: member))
        }
        return .waiting(Waiter(id, waiting.nextNumber(), for: call, trail, standing, since: start ?? clock.now, progress: progress))
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
            // Beside `Flights.reply(to:_:)`: that would keep the load with each waiting task, whose memory is counted here.
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

    /// Ends a fetch that has waited.
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
        of reply: consuming SharedReply, for id: Call.ID, since start: Timestamp?, joined: Duration? = nil, as member: Gathering.Member?
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
}
