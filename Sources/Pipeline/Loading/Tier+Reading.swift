extension Tier {
    /// Reads this tier once and judges what it gives: fresh, expired, invalid, not found.
    ///
    /// The stages that the policy asks for (retry, circuit breaker, time limits) are around it.
    public func loader() -> Loader {
        var loader = limited().takingNotFound(as: policy.onNotFound)
        if policy.onError == .fail { loader = loader.failingFinally() }
        return observed(skipping(loader))
    }

    /// Looks again, for a fetch that asked this tier before: nobody is told of the attempt, and a failure ends nothing.
    func lookingAgain() -> Loader { skipping(limited()) }

    private func limited() -> Loader {
        var loader = reading()
        if let retry = policy.retry { loader = loader.retrying(retry, clock: clock) }
        // Memory answers at once: there is nothing to wait for, and nothing to limit.
        if !isImmediate { loader = inTime(loader) }
        if let breaker { loader = loader.breaking(breaker) }
        return loader
    }

    /// The loader with the time to answer that the tier has.
    private func inTime(_ loader: Loader) -> Loader {
        let limit = policy.timeLimit
        // Whoever has a limit is to have it kept also when a read on the calling thread hangs.
        let (mayBlock, isBound) = (synchronous != nil, policy.timeout != nil || policy.softTimeout != nil)
        let limited = loader.timingOut(after: limit, clock: clock) { mayBlock && (isBound || $0.deadline != nil) }
        guard let punctual, let queue, policy.retry == nil else { return limited }
        return Loader(name, immediate: loader.immediate) { request in
            // What else there is to do before a read may hang.
            guard case .source = queue.view(of: request.key) else { return try await limited.load(request) }
            return try await ask(punctual, for: request)
        }
    }

    /// The reply of a source that keeps the limit itself. Throws when nobody is to wait for it any more.
    func ask(_ source: any PunctualSource, for request: LoadRequest, unless callOff: CallOff? = nil) async throws -> LoadReply {
        try Task.checkCancellation()
        let begin = request.awaited.flatMap { $0.name == name ? $0.since : nil } ?? clock.now
        let limit = TimeLimit(policy.timeLimit, for: request, since: begin)
        if limit.isOver { return limit.reply(of: name, at: limit.begin) }
        do {
            let entry = try await source.read(request.key, until: ReadLimit(end: limit.end, callOff: callOff))
            return judged(entry, for: request, since: limit.begin)
        } catch {
            try Task.checkCancellation()
            if let error = error as? CalledOff { throw error }
            return error is PastLimit ? limit.reply(of: name, at: clock.now) : failed(error, since: limit.begin)
        }
    }

    /// Leaves a tier that is not to be asked out of everything: no limit, no retry and no circuit looks at such a fetch.
    private func skipping(_ loader: Loader) -> Loader {
        Loader(name, immediate: loader.immediate) { request in
            if let reason = reasonToSkip(request) {
                return LoadReply(.none, attempts: Attempts(Attempt(name, .skipped, reason: reason)))
            }
            return try await loader.load(request)
        }
    }

    /// Tells the observer of the attempt that the tier made.
    private func observed(_ loader: Loader) -> Loader {
        if observer == nil { return loader }
        let immediate = loader.immediate.map { immediate -> Loader.Immediate in
            { request in
                guard let reply = immediate(request) else { return nil }
                tell(reply, of: request.key)
                return reply
            }
        }
        return Loader(name, immediate: immediate) { request in
            let reply = try await loader.load(request)
            tell(reply, of: request.key)
            return reply
        }
    }

    /// Tells the observer of what was tried for `key`.
    func tell(_ reply: LoadReply, of key: Key) {
        guard let observer else { return }
        for attempt in reply.attempts { observer(.attempt(attempt, key: key)) }
    }

    private func reading() -> Loader {
        var immediate: Loader.Immediate?
        if isCache, policy.reads, let source = self.immediate {
            immediate = { request in peek(source, for: request) }
        }
        return Loader(name, immediate: immediate) { request in
            let begin = clock.now
            do {
                switch queue?.view(of: request.key) {
                case .pending(let entry): return judged(entry, for: request, since: begin)
                case .failedRemoval:
                    if let reason = await retryRemoval(of: request.key) {
                        return LoadReply(.failed(isFinal: false), attempts: Attempts(Attempt(name, .skipped, reason: reason)))
                    }
                case .source, nil: break
                }
                let (entry, isConfirmed) = try await entry(for: request)
                return judged(entry, for: request, since: begin, reason: isConfirmed ? "not modified" : nil)
            } catch {
                try Task.checkCancellation()
                return failed(error, since: begin)
            }
        }
    }

    /// The answer of a cache that answers without waiting; nil when the fetch has to go on.
    private func peek(_ source: any ImmediateSource, for request: LoadRequest) -> LoadReply? {
        guard request.policy.readsCaches else { return nil }
        if let queue, mayHavePending || queue.hasFailedRemovals {
            guard case .source = queue.view(of: request.key) else { return nil }
        }
        guard let entry = source.peek(request.key) else { return nil }
        let reply = judged(entry, for: request, since: nil)
        return reply.goesOn ? nil : reply
    }

    private func reasonToSkip(_ request: LoadRequest) -> String? {
        if !policy.reads { return "read: false" }
        if isCache { return request.policy.readsCaches ? nil : "policy \(request.policy.rawValue)" }
        return request.policy.asksOrigins ? request.originsRestReason : "policy \(request.policy.rawValue)"
    }

    /// Has the source forget what it failed to forget; gives the reason when it still cannot.
    private func retryRemoval(of key: Key) async -> String? {
        do {
            if let forgotten = try await queue?.retryRemoval(of: key) {
                // Whoever dropped a copy when the removal was announced may have found the old one here.
                _ = await publish(forgotten)
            }
            return nil
        } catch {
            return "could not forget the removed copy: \(redactor.redacted("\(error)"))"
        }
    }

    /// The source's answer, and whether it confirms a copy that is known.
    private func entry(for request: LoadRequest) async throws -> (Entry?, isConfirmed: Bool) {
        guard !isCache else { return (try await source.read(request.key), false) }
        guard let known = request.expired.first(where: { $0.entry.isConfirmable(by: name) })?.entry, let source = source.asRevalidating
        else { return (try await source.read(request.key)?.attributed(to: name), false) }
        let entry = try await source.revalidate(known, for: request.key)?.attributed(to: name)
        return (entry, entry?.sharesPayload(with: known) ?? false)
    }

    /// - Parameter reason: what there is to say about a hit.
    func judged(_ entry: Entry?, for request: LoadRequest, since begin: Timestamp?, reason hitReason: String? = nil) -> LoadReply {
        let now = clock.now
        func reply(_ answer: LoadReply.Answer, _ outcome: Attempt.Outcome, reason: String? = nil) -> LoadReply {
            let duration = begin.map { now.duration(since: $0) } ?? .zero
            return LoadReply(answer, from: name, attempts: Attempts(Attempt(name, outcome, duration: duration, reason: reason)))
        }
        guard var entry else {
            var miss = reply(.none, .miss)
            miss.lacking = [name]
            return miss
        }
        // Memory holds what was judged when it came in. An expired copy is looked at, too: it may be served stale.
        if !isImmediate || !isCache, let problem = entry.payload.flatMap(pipeline.format.problem) {
            return reply(.failed(isFinal: false), .invalid, reason: problem)
        }
        if isCache {
            entry.freshUntil = freshness.limit(of: entry)
            let unconfirmedSince = confirmation?.limit(of: entry)
            if let unconfirmedSince { entry.freshUntil = unconfirmedSince }
            if !entry.isFresh(at: now) { return expired(entry, isUnconfirmed: unconfirmedSince != nil, for: request, at: now, reply) }
        }
        if entry.isNotFound { return reply(.notFound(entry), .notFound) }
        var hit = reply(.value(entry), .hit, reason: hitReason)
        hit.wantsRefresh =
            isCache && request.policy == .default && freshness.isDueForRefresh(entry, freshUntil: entry.freshUntil, at: now)
        return hit
    }

    private func expired(
        _ entry: Entry, isUnconfirmed: Bool, for request: LoadRequest, at now: Timestamp,
        _ reply: (LoadReply.Answer, Attempt.Outcome, String?) -> LoadReply
    ) -> LoadReply {
        guard entry.created <= now, let limit = entry.freshUntil, limit <= now else {
            return reply(.none, .expired, "created in the future")
        }
        let copy = ExpiredCopy(source: name, entry: entry, since: limit, isUnconfirmed: isUnconfirmed)
        let window = pipeline.staleWhileRevalidate ?? .zero
        if !entry.isNotFound, request.policy == .default, now.duration(since: limit) < window {
            let reason = "\(copy.reason(at: now)), within stale_while_revalidate"
            var stale = reply(.stale(entry, reason: reason), .stale, reason)
            stale.wantsRefresh = true
            return stale
        }
        var expired = reply(.none, .expired, copy.reason(at: now))
        expired.expired = [copy]
        return expired
    }

    func failed(_ error: any Error, since begin: Timestamp) -> LoadReply {
        let outcome: Attempt.Outcome =
            switch (error as? SourceError)?.kind {
            case .invalid: .invalid
            case .timeout: .timeout
            case .failure, .refused, .rejected, nil: .error
            }
        let attempt = Attempt(
            name, outcome, duration: clock.now.duration(since: begin),
            reason: redactor.redacted("\(error)"),
            detail: (error as? SourceError)?.detail.flatMap { redactor.redacted($0).excerpt(ofBytes: 200) }, error: error)
        return LoadReply(.failed(isFinal: false), from: name, attempts: Attempts(attempt))
    }
}

extension Entry {
    /// Whether `origin` gave this entry and can confirm it.
    fileprivate func isConfirmable(by origin: String) -> Bool {
        payload != nil && hasValidator && source == origin
    }

    /// Whether the payload is the very array of `other`, not an equal one: a source that confirms an entry returns that array. Empty arrays
    /// share their storage anyway, and say nothing.
    fileprivate func sharesPayload(with other: Entry) -> Bool {
        guard let payload, let known = other.payload, !payload.isEmpty else { return false }
        return payload.withUnsafeBufferPointer { mine in known.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress } }
    }
}

extension Duration {
    /// The duration as one writes it, to the millisecond below a minute and to the second above.
    var rounded: String {
        let unit: Int64 = self < .seconds(60) ? 1_000_000 : 1_000_000_000
        let nanoseconds = saturatedNanoseconds / unit * unit
        return nanoseconds == 0 ? "0s" : Duration.nanoseconds(nanoseconds).written ?? ""
    }
}
