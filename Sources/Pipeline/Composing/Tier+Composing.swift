extension Tier {
    /// Assembles the whole, where this tier is the place of a composite.
    func compose(_ request: LoadRequest, with composite: Composite) async throws -> LoadReply {
        let begin = clock.now
        let end = request.readEnd ?? request.deadline
        let demand = PartDemand(
            policy: request.partPolicy, priority: request.load?.current ?? request.priority, end: end,
            isBound: request.deadline != nil || policy.timeout != nil, concurrency: composite.spec.concurrency,
            recalling: request.recalls, within: request.part)
        let whole = try await Assembly(composite, request.key, demand).run()
        var reply = self.reply(of: whole, for: request, since: begin)
        reply.composition = whole.composition
        reply.isPastDeadline = whole.isCut && request.deadline.map { $0 <= clock.now } ?? false
        return reply
    }

    private func reply(of whole: AssembledWhole, for request: LoadRequest, since begin: Timestamp) -> LoadReply {
        switch whole.ending {
        case .failed(let error): return failed(error, since: begin)
        case .none: return judged(nil, for: request, since: begin)
        case .notFound:
            var entry = Entry.notFound(created: whole.times.created ?? begin)
            entry.freshUntil = whole.times.freshUntil
            return judged(entry.attributed(to: name).made(from: whole), for: request, since: begin)
        case .value(let payload):
            let entry = Entry(payload, created: whole.times.created ?? begin, freshUntil: whole.times.freshUntil, source: name)
            var reply = judged(entry.made(from: whole), for: request, since: begin)
            guard let reason = whole.times.staleReason, case .value(let entry) = reply.answer else { return reply }
            reply.answer = .stale(entry, reason: reason)
            let duration = clock.now.duration(since: begin)
            reply.attempts = [Attempt(name, .stale, duration: duration, reason: reason)]
            return reply
        }
    }

    /// The reply that follows from a whole that this cache gave: one that was made from a value that a part has no longer has expired.
    ///
    /// - Parameter end: when the tier has no more time; nil for the end of the request's.
    func judgedWhole(
        _ given: Entry?, for request: LoadRequest, since begin: Timestamp, until end: Timestamp?
    ) async throws -> LoadReply {
        guard let maker, var entry = given, isFresh(entry) else { return judged(given, for: request, since: begin) }
        let change = try await maker.change(
            since: entry, of: request.key, freshUntil: freshness.limit(of: entry), priority: request.load?.current ?? request.priority,
            until: end ?? request.readEnd ?? request.deadline)
        guard let change else { return judged(given, for: request, since: begin) }
        entry.freshUntil = clock.now
        var reply = judged(entry, for: request, since: begin)
        let duration = clock.now.duration(since: begin)
        guard let outcome = reply.attempts.last?.outcome else { return reply }
        reply.attempts = [Attempt(name, outcome, duration: duration, reason: change)]
        return reply
    }

    /// Whether `copy` is a whole of the pipeline's own composite.
    func isWhole(_ copy: Entry) -> Bool { maker != nil && copy.source == CompositeSpec.placeName }

    /// Makes the copy of `key` that this cache holds expire, after what runs for the key and before what is written later. It is not served
    /// from now on; one that cannot be marked is removed.
    ///
    /// - Parameter ended: called when that is done, or has failed: then it is not served until it is removed.
    func expire(_ key: Key, _ ended: @escaping @Sendable () -> Void = {}) async {
        guard let queue else { return ended() }
        if isImmediate {
            _ = await queue.apply(.remove, sparing: marking(key, in: queue), for: key)
            return ended()
        }
        var operation = WriteLane.Operation(change: .remove, sparing: marking(key, in: queue), completion: { _ in ended() })
        operation.limit = policy.timeLimit
        queue.schedule(operation, for: key)
    }

    /// Marks the copy instead of removing it, where the cache can do that; stale windows may then serve it.
    private func marking(_ key: Key, in queue: WriteQueue) -> WriteLane.Operation.Sparing? {
        guard isImmediate || keepsTimes else { return nil }
        return { _ in
            // What had to be removed before must go.
            if queue.failedRemovals.contains(key) { return nil }
            guard let held = isImmediate ? try source.peek(key) : try await source.read(key), isFresh(held) else { return .unchanged }
            var copy = held
            copy.freshUntil = clock.now
            return try await queue.source.renew(held, as: copy, for: key) ? .renewed : nil
        }
    }
}

extension Entry {
    /// The same with what holds for copies of it, where caches that keep it also keep what it was made from.
    fileprivate func made(from whole: AssembledWhole) -> Entry {
        bound(by: whole.times.cacheControl).varying(as: whole.composition.madeFrom)
    }
}

extension LoadRequest {
    /// How a composite asks its parts: as it was asked. A refresh in the background asks for no more than the parts' own caches have.
    var partPolicy: FetchPolicy { renews ? .default : policy }
}
