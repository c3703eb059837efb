extension Tier {
    /// Assembles the whole, where this tier is the place of a composite.
    func compose(_ request: LoadRequest, with composite: Composite) async throws -> LoadReply {
        let begin = clock.now
        let demand = PartDemand(
            policy: request.partPolicy, priority: request.load?.current ?? request.priority, end: request.readEnd ?? request.deadline,
            isBound: request.deadline != nil || policy.timeout != nil)
        let whole = try await composite.assemble(request.key, demand)
        var reply = self.reply(of: whole, for: request, since: begin)
        reply.composition = whole.composition
        reply.isPastDeadline = whole.isCut && request.deadline.map { $0 <= clock.now } ?? false
        return reply
    }

    private func reply(of whole: AssembledWhole, for request: LoadRequest, since begin: Timestamp) -> LoadReply {
        switch whole.result {
        case .failed(let error): return failed(error, since: begin)
        case .none: return judged(nil, for: request, since: begin)
        case .notFound:
            var entry = Entry.notFound(created: whole.times.created ?? begin)
            entry.freshUntil = whole.times.freshUntil
            return judged(entry.attributed(to: name), for: request, since: begin)
        case .value(let payload):
            let entry = Entry(payload, created: whole.times.created ?? begin, freshUntil: whole.times.freshUntil, source: name)
            var reply = judged(entry, for: request, since: begin)
            guard let reason = whole.times.staleReason, case .value(let entry) = reply.answer else { return reply }
            reply.answer = .stale(entry, reason: reason)
            let duration = clock.now.duration(since: begin)
            reply.attempts = Attempts(Attempt(name, .stale, duration: duration, reason: reason))
            return reply
        }
    }

    /// Makes the copy of `key` that this cache holds expire now. One that another write has replaced meanwhile stays as it is.
    func expire(_ key: Key) async {
        guard let queue else { return }
        do {
            if case .source = queue.view(of: key), isImmediate || keepsTimes {
                guard let held = isImmediate ? try source.peek(key) : try await source.read(key), isFresh(held) else { return }
                var copy = held
                copy.freshUntil = clock.now
                let cache = queue.source
                let ending = await queue.apply(
                    .write(copy),
                    sparing: { [copy] _ in try await cache.renew(held, as: copy, for: key) ? .renewed : .unchanged }, for: key)
                if case .failed(let error) = ending { throw error }
            } else {
                try await queue.remove(key)
            }
        } catch {
            // What cannot be marked is not served either, and is removed before it is next read.
            queue.failedRemovals.insert(key)
        }
    }
}

extension LoadRequest {
    /// How a composite asks its parts: as it was asked. A refresh in the background asks for no more than the parts' own caches have.
    var partPolicy: FetchPolicy { renews ? .default : policy }
}
