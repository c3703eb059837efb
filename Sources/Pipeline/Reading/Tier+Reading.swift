import Synchronization

extension Tier {
    /// Reads this tier once and judges what it gives: fresh, expired, invalid, not found.
    ///
    /// The stages that the policy asks for (retry, circuit breaker, time limits) are around it.
    ///
    /// - Parameters:
    ///   - atOnce: whether nothing waits before this tier is asked, nor in it: then it is read on the calling thread.
    ///   - attempt: a stage around each single attempt.
    package func loader(atOnce: Bool = false, _ attempt: (Loader) -> Loader = { $0 }) -> Loader {
        var loader = (atOnce ? peeking() : gathered(attempt)).takingNotFound(as: policy.onNotFound)
        if policy.onError == .fail { loader = loader.failingFinally() }
        return observed(skipping(loader))
    }

    /// Reads the tier again, for a fetch that asked it before: observers receive no attempt, and a failure ends nothing.
    func lookingAgain() -> Loader { skipping(limited()) }

    /// Whether it answers a fetch without a deadline on the calling thread, and no policy waits, counts, or bounds its time.
    var answersAtOnce: Bool {
        guard isCache, policy.reads, policy.retry == nil, breaker == nil else { return false }
        return isImmediate || source.style == .onThread && policy.timeout == nil && policy.softTimeout == nil
    }

    /// A deadline cannot end what runs on the calling thread, and a refresh has none to itself.
    private func peeking() -> Loader {
        let limited = limited()
        if isImmediate { return limited }
        return Loader(name) { call, trail, standing in
            guard call.deadline == nil, !call.renews else { return try await limited.load(call, trail, standing) }
            try Task.checkCancellation()
            return try await read(call, trail, standing, peeking: true)
        }
    }

    /// A tier whose source reads several keys at once has the stages around a call, which may be that of several keys. What belongs to one
    /// key is around that.
    private func gathered(_ attempt: (Loader) -> Loader) -> Loader {
        guard let batching, !source.style.peeks else { return limited(attempt) }
        let loader = limited()
        let limit = min(policy.softTimeout ?? policy.timeLimit, policy.timeLimit)
        let gatherer = Gatherer(batching, isOfOrigin: !isCache, within: limit, clock: clock, load: loader.load) { batch in
            let reading = Loader(name) { call, _, standing in try await read(batch, with: batching, call, until: standing.attempt.end) }
            return try await limited(reading).load(batch.call, Trail(), batch.standing)
        }
        let gathered = Loader(name) { call, trail, standing in
            // What can be said without the source.
            guard case .source = view(of: call.key), !isCache || trail.looked == nil else {
                return try await loader.load(call, trail, standing)
            }
            return try await gatherer.reply(to: call, trail, standing)
        }
        return attempt(gathered)
    }

    private func limited(_ attempt: (Loader) -> Loader = { $0 }) -> Loader {
        limited(attempt(Loader(name) { try await read($0, $1, $2) }))
    }

    private func limited(_ reading: Loader) -> Loader {
        // Memory answers at once: there is nothing to wait for, and nothing to limit.
        var loader = isImmediate ? reading : inTime(reading)
        if let breaker { loader = loader.breaking(breaker) }
        if !isCache, !isImmediate, !capabilities.contains(.asksOthers) { loader = loader.takingTurns(on: clock) }
        if let retry = policy.retry {
            loader = loader.retrying(retry, within: isImmediate ? nil : policy.timeLimit, clock: clock, random: random)
        }
        return loader
    }

    /// The loader with the time to answer that the tier has.
    private func inTime(_ loader: Loader) -> Loader {
        let limit = policy.timeLimit
        // A time limit must also hold when a read on the calling thread hangs.
        let (mayBlock, isBound) = (source.style == .onThread, policy.timeout != nil || policy.softTimeout != nil)
        let limited = loader.timingOut(after: limit, clock: clock) { mayBlock && (isBound || $0.deadline != nil) }
        guard source.style == .punctual, policy.retry == nil || capabilities.contains(.asksOthers) else { return limited }
        return Loader(name) { call, trail, standing in
            // What can be done before a read that may hang.
            guard case .source = view(of: call.key) else { return try await limited.load(call, trail, standing) }
            try Task.checkCancellation()
            let time = TimeLimit(limit, for: call, since: standing.attempt.since ?? clock.now)
            if time.isOver { return time.reply(of: name, at: time.begin) }
            var timed = standing
            timed.attempt.end = time.end
            let reply = try await loader.load(call, trail, timed)
            // What a source knows of its failure says more than that the time is over.
            return reply.hasFailed && reply.detail == nil && time.end <= clock.now ? time.reply(of: name, at: clock.now) : reply
        }
    }

    /// Keeps every stage away from a tier that must not be asked: no limit, no retry and no circuit applies to such a fetch.
    private func skipping(_ loader: Loader) -> Loader {
        Loader(name) { call, trail, standing in
            guard let reason = reasonToSkip(call, trail, standing) else { return try await loader.load(call, trail, standing) }
            return LoadReply(.none, attempts: [Attempt(name, .skipped, reason: reason)])
        }
    }

    /// Reports the tier's attempt to the observer.
    private func observed(_ loader: Loader) -> Loader {
        observer == nil ? loader : loader.changing { reply, call in report(reply, of: call.key) }
    }

    /// Reports to the observer what was tried for `key`.
    func report(_ reply: LoadReply, of key: Key) {
        guard let observer else { return }
        for attempt in reply.attempts { observer(.attempt(attempt, key: key)) }
    }

    /// What memory has, read on the calling thread; nil where a removal has failed, and where an origin must be waited for to say what a copy is
    /// worth. What is no fresh answer is left in the trail, for a load that begins later.
    ///
    /// - Parameter ended: how many loads had ended before.
    func readNow(_ call: Call, _ trail: inout Trail, after ended: UInt64) -> LoadReply? {
        let begin = clock.now
        switch view(of: call.key) {
        case .failedRemoval: return nil
        case .pending(let entry): return judgedAtOnce(entry, for: call, trail, since: begin)
        case .source: break
        }
        do {
            if let looked = trail.looked { return judgedAtOnce(try looked.entry, for: call, trail, since: begin) }
            let entry = try source.peek(call.key)
            let reply = judgedAtOnce(entry, for: call, trail, since: begin)
            if reply?.isAnswer != true || reply?.isStale == true { trail.looked = Looked(entry, ended: ended) }
            return reply
        } catch {
            trail.looked = .failed(error, ended: ended)
            return failed(error, since: begin)
        }
    }

    /// What a read of `key` has to go by.
    private func view(of key: Key) -> WriteQueue.View {
        guard let queue, mayHavePending || queue.hasFailedRemovals else { return .source }
        return queue.view(of: key)
    }

    /// Reads the source once. Throws `CancellationError` when the task is cancelled.
    ///
    /// - Parameter peeking: whether it is read on the calling thread.
    private func read(_ call: Call, _ trail: Trail, _ standing: Standing, peeking: Bool = false) async throws -> LoadReply {
        let (begin, end) = (clock.now, standing.attempt.end)
        do {
            switch view(of: call.key) {
            case .pending(let entry): return try await judging(entry, for: call, trail, standing, since: begin)
            case .failedRemoval:
                if let reason = await retryRemoval(of: call.key) {
                    return LoadReply(.failed(isFinal: false), attempts: [Attempt(name, .skipped, reason: reason)])
                }
            case .source:
                if isCache, let looked = trail.looked {
                    return try await judging(try looked.entry, for: call, trail, standing, since: begin)
                }
            }
            guard isCache else { return try await ask(call, trail, standing, until: end, since: begin) }
            let entry = peeking ? try source.peek(call.key) : try await source.read(call.key, ReadContext(deadline: end))
            return try await judging(entry, for: call, trail, standing, since: begin)
        } catch {
            try Task.checkCancellation()
            return failed(error, since: begin)
        }
    }

    /// Reads the keys of `batch` with one call of the source, and judges what it gives for each.
    private func read(_ batch: LoadBatch, with batching: Batching, _ call: Call, until end: Timestamp?) async throws -> LoadReply {
        let begin = clock.now
        do {
            return try await answer(batch, with: batching, call, until: end, since: begin)
        } catch {
            try Task.checkCancellation()
            return failed(error, since: begin)
        }
    }

    private func answer(
        _ batch: LoadBatch, with batching: Batching, _ call: Call, until end: Timestamp?, since begin: Timestamp
    ) async throws -> LoadReply {
        var context = ReadContext(deadline: end, load: batch.priority)
        context.part = call.part
        if !isCache { context.limit = end == call.deadline ? nil : end }
        let answer: BatchAnswer
        do {
            answer = try await batching.read(batch.keys, context)
        } catch var error as SourceError where error.kind == .invalid && !source.mayRepeat {
            error.retry = .never()
            throw error
        }
        guard answer.results.count == batch.keys.count else {
            throw SourceError("the source gave \(answer.results.count) results for \(batch.keys.count) keys", kind: .invalid)
        }
        let ignored = answer.ignored == 0 ? nil : "\(answer.ignored) not asked for"
        var attempt = Attempt(name, .hit, duration: clock.now.duration(since: begin))
        attempt.call = BatchCall(ignored: answer.ignored)
        var members: [LoadReply] = []
        for load in batch.loads {
            switch batch.result(for: load.call.key, in: answer) {
            case .success(let entry) where isCache:
                members.append(
                    try await judging(entry, for: load.call, load.trail, load.standing, since: begin, until: end, reason: ignored))
            case .success(let entry):
                members.append(judged(entry?.attributed(to: name), for: load.call, load.trail, since: begin, reason: ignored))
            case .failure(let error): members.append(failed(error, since: begin))
            }
        }
        batch.note(members)
        return LoadReply(.none, from: name, attempts: [attempt])
    }

    private func reasonToSkip(_ call: Call, _ trail: Trail, _ standing: Standing) -> String? {
        if !policy.reads { return "read: false" }
        if isCache {
            // A refresh asks the caches below its copy.
            let isBelow = call.renewed(on: trail).map { above.contains($0.source) } ?? false
            return call.policy.readsCaches || isBelow ? nil : "policy \(call.policy.rawValue)"
        }
        return call.policy.asksOrigins || capabilities.contains(.asksOthers)
            ? standing.originsRestReason : "policy \(call.policy.rawValue)"
    }

    /// Makes the removal that the source failed to make; returns the reason when it fails again.
    private func retryRemoval(of key: Key) async -> String? {
        do {
            if let forgotten = try await queue?.retryRemoval(of: key) {
                // A process that dropped its copy when the removal was published may have found the old value here.
                _ = await publish(forgotten)
            }
            return nil
        } catch {
            return "could not forget the removed copy: \(redactor.redacted("\(error)"))"
        }
    }

    /// Asks an origin once.
    private func ask(_ call: Call, _ trail: Trail, _ standing: Standing, until end: Timestamp?, since begin: Timestamp) async throws
        -> LoadReply
    {
        let known = trail.newestCopy(confirmableBy: name)
        let noted = NotedDetail()
        var context = ReadContext(deadline: end, confirming: known, load: standing.originLoad, report: standing.flight?.progress)
        (context.part, context.permit, context.note) = (call.part, standing.permit, { noted.keep($0) })
        (context.policy, context.usualPriority, context.recalls) = (call.partPolicy, call.priority, call.id.purpose == .recall)
        context.limit = end == call.deadline ? nil : end
        context.isBound = call.deadline != nil || policy.timeout != nil
        let result = await Result { try await source.read(call.key, context) }
        guard let detail = noted.detail else {
            let entry = try result.get()?.attributed(to: name)
            let isConfirmed = known.map { entry?.sharesPayload(with: $0) ?? false } ?? false
            return judged(entry, for: call, trail, since: begin, reason: isConfirmed ? Attempt.confirmation : nil)
        }
        var reply =
            switch result {
            case .success(let entry): judged(entry?.attributed(to: name), for: call, trail, since: begin)
            case .failure(let error): failed(error, since: begin)
            }
        reply.detail = detail
        if detail.isCut, let deadline = call.deadline, deadline <= clock.now { reply.obstacle = .deadline }
        if let reason = detail.staleReason, case .value(let entry) = reply.answer {
            reply.answer = .stale(entry, reason: reason)
            reply.attempts = [Attempt(name, .stale, duration: clock.now.duration(since: begin), reason: reason)]
        }
        return reply
    }
}

extension Entry {
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
        return nanoseconds == 0 ? "0s" : Duration.nanoseconds(nanoseconds).spelling
    }
}

/// Where a source leaves what it knows of its answer.
private final class NotedDetail: Sendable {
    private let noted = Mutex<(any ReplyDetail)?>(nil)

    var detail: (any ReplyDetail)? { noted.withLock { $0 } }

    func keep(_ detail: any ReplyDetail) { noted.withLock { $0 = detail } }
}
