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
        return Loader(name) { request in
            guard request.deadline == nil, !request.renews else { return try await limited.load(request) }
            try Task.checkCancellation()
            return try await read(request, peeking: true)
        }
    }

    /// A tier whose source reads several keys at once has the stages around a call, which may be that of several keys. What belongs to one
    /// key is around that.
    private func gathered(_ attempt: (Loader) -> Loader) -> Loader {
        guard let batching, !source.style.peeks else { return limited(attempt) }
        let loader = limited()
        let limit = min(policy.softTimeout ?? policy.timeLimit, policy.timeLimit)
        let gatherer = Gatherer(batching, isOfOrigin: !isCache, within: limit, clock: clock, load: loader.load)
        let gathered = Loader(name) { request in
            // What can be said without the source.
            guard case .source = view(of: request.key), !isCache || request.looked == nil else { return try await loader.load(request) }
            return try await gatherer.reply(to: request)
        }
        return attempt(gathered)
    }

    private func limited(_ attempt: (Loader) -> Loader = { $0 }) -> Loader {
        var loader = attempt(reading())
        // Memory answers at once: there is nothing to wait for, and nothing to limit.
        if !isImmediate { loader = inTime(loader) }
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
        return Loader(name) { request in
            // What can be done before a read that may hang.
            guard isOfSource(request) else { return try await limited.load(request) }
            try Task.checkCancellation()
            let time = TimeLimit(limit, for: request, since: request.tryingSince ?? clock.now)
            if time.isOver { return time.reply(of: name, at: time.begin) }
            return try await read(request, within: time)
        }
    }

    private func isOfSource(_ request: LoadRequest) -> Bool {
        if request.batch != nil { return true }
        if case .source = view(of: request.key) { return true }
        return false
    }

    /// Keeps every stage away from a tier that must not be asked: no limit, no retry and no circuit applies to such a fetch.
    private func skipping(_ loader: Loader) -> Loader {
        Loader(name) { request in
            guard let reason = reasonToSkip(request) else { return try await loader.load(request) }
            return LoadReply(.none, attempts: [Attempt(name, .skipped, reason: reason)])
        }
    }

    /// Reports the tier's attempt to the observer.
    private func observed(_ loader: Loader) -> Loader {
        observer == nil ? loader : loader.changing { reply, request in report(reply, of: request.key) }
    }

    /// Reports to the observer what was tried for `key`.
    func report(_ reply: LoadReply, of key: Key) {
        guard let observer else { return }
        for attempt in reply.attempts { observer(.attempt(attempt, key: key)) }
    }

    private func reading() -> Loader { Loader(name) { request in try await read(request) } }

    /// What memory has, read on the calling thread; nil where a removal has failed, and where an origin must be waited for to say what a copy is
    /// worth. What is no fresh answer is left in the request, for a load that begins later.
    ///
    /// - Parameter ended: how many loads had ended before.
    func readNow(_ request: inout LoadRequest, after ended: UInt64) -> LoadReply? {
        let begin = clock.now
        func judged(_ entry: Entry?) -> LoadReply? {
            guard let entry, entry.variant != nil else { return self.judged(entry, for: request, since: begin) }
            let judgement = judgement(of: entry, for: request)
            if case .later = judgement { return nil }
            return self.judged(entry, as: judgement, for: request, since: begin)
        }
        switch view(of: request.key) {
        case .failedRemoval: return nil
        case .pending(let entry): return judged(entry)
        case .source: break
        }
        if let looked = request.looked { return judged(looked.entry) }
        do {
            let entry = try source.peek(request.key)
            let reply = judged(entry)
            if reply?.isAnswer != true || reply?.isStale == true { request.looked = Looked(entry, ended: ended) }
            return reply
        } catch {
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
    /// - Parameters:
    ///   - limit: what a source keeps by itself; nil where the stage around this does.
    ///   - peeking: whether it is read on the calling thread.
    private func read(_ request: LoadRequest, within limit: TimeLimit? = nil, peeking: Bool = false) async throws -> LoadReply {
        let begin = limit?.begin ?? clock.now
        do {
            if let batch = request.batch { return try await read(batch, request, until: limit?.end ?? request.readEnd, since: begin) }
            switch view(of: request.key) {
            case .pending(let entry): return try await judging(entry, for: request, since: begin)
            case .failedRemoval:
                if let reason = await retryRemoval(of: request.key) {
                    return LoadReply(.failed(isFinal: false), attempts: [Attempt(name, .skipped, reason: reason)])
                }
            case .source:
                if isCache, let looked = request.looked { return try await judging(looked.entry, for: request, since: begin) }
            }
            let end = limit?.end ?? request.readEnd
            guard isCache else { return try await ask(request, until: end, since: begin) }
            let entry = peeking ? try source.peek(request.key) : try await source.read(request.key, ReadContext(deadline: end))
            return try await judging(entry, for: request, since: begin, until: end)
        } catch {
            try Task.checkCancellation()
            if let limit, limit.end <= clock.now { return limit.reply(of: name, at: clock.now) }
            return failed(error, since: begin)
        }
    }

    /// Reads the keys of `batch` with one call of the source, and judges what it gives for each.
    private func read(_ batch: LoadBatch, _ request: LoadRequest, until end: Timestamp?, since begin: Timestamp) async throws -> LoadReply {
        guard let batching else { return LoadReply(.none, attempts: []) }
        var context = ReadContext(deadline: end, load: request.load)
        context.part = request.part
        if !isCache { context.limit = end == request.deadline ? nil : end }
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
        var reply = LoadReply(.none, from: name, attempts: [attempt])
        var members: [LoadReply] = []
        for request in batch.requests {
            switch batch.result(for: request, in: answer) {
            case .success(let entry) where isCache:
                members.append(try await judging(entry, for: request, since: begin, until: end, reason: ignored))
            case .success(let entry): members.append(judged(entry?.attributed(to: name), for: request, since: begin, reason: ignored))
            case .failure(let error): members.append(failed(error, since: begin))
            }
        }
        reply.members = members
        return reply
    }

    private func reasonToSkip(_ request: LoadRequest) -> String? {
        if !policy.reads { return "read: false" }
        if isCache {
            // A refresh asks the caches below its copy.
            let isBelow = request.renewed.map { above.contains($0.source) } ?? false
            return request.policy.readsCaches || isBelow ? nil : "policy \(request.policy.rawValue)"
        }
        return request.policy.asksOrigins || capabilities.contains(.asksOthers)
            ? request.originsRestReason : "policy \(request.policy.rawValue)"
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
    private func ask(_ request: LoadRequest, until end: Timestamp?, since begin: Timestamp) async throws -> LoadReply {
        let known = request.newestCopy(confirmableBy: name)
        let noted = NotedDetail()
        var context = ReadContext(deadline: end, confirming: known, load: request.load, report: request.report)
        (context.part, context.permit, context.note) = (request.part, request.permit, { noted.keep($0) })
        (context.policy, context.usualPriority, context.recalls) = (request.partPolicy, request.priority, request.recalls)
        context.limit = end == request.deadline ? nil : end
        context.isBound = request.deadline != nil || policy.timeout != nil
        let result = await Result { try await source.read(request.key, context) }
        guard let detail = noted.detail else {
            let entry = try result.get()?.attributed(to: name)
            let isConfirmed = known.map { entry?.sharesPayload(with: $0) ?? false } ?? false
            return judged(entry, for: request, since: begin, reason: isConfirmed ? Attempt.confirmation : nil)
        }
        var reply =
            switch result {
            case .success(let entry): judged(entry?.attributed(to: name), for: request, since: begin)
            case .failure(let error): failed(error, since: begin)
            }
        reply.detail = detail
        reply.isPastDeadline = detail.isCut && request.deadline.map { $0 <= clock.now } ?? false
        if let reason = detail.staleReason, case .value(let entry) = reply.answer {
            reply.answer = .stale(entry, reason: reason)
            reply.attempts = [Attempt(name, .stale, duration: clock.now.duration(since: begin), reason: reason)]
        }
        return reply
    }

    /// The reply that follows from the source's answer.
    ///
    /// - Parameters:
    ///   - begin: when it was asked; nil for an answer without a wait.
    ///   - reason: what there is to say about a hit.
    func judged(_ given: Entry?, for request: LoadRequest, since begin: Timestamp?, reason hitReason: String? = nil) -> LoadReply {
        let now = clock.now
        let live = given == nil ? nil : fed?[request.key]?.confirmation
        let entry = if let live { given.map(live.confirmed) } else { given }
        func reply(_ answer: LoadReply.Answer, _ outcome: Attempt.Outcome, reason: String? = nil, detail: String? = nil) -> LoadReply {
            let duration = begin.map { now.duration(since: $0) } ?? .zero
            return LoadReply(answer, from: name, attempts: [Attempt(name, outcome, duration: duration, reason: reason, detail: detail)])
        }
        func copy(until limit: Timestamp?) -> Entry? {
            var copy = entry
            copy?.freshUntil = limit
            return copy
        }
        let confirmation = isCache ? confirmation : nil
        var unconfirmed: Timestamp?
        if let entry, live != nil || confirmation != nil {
            unconfirmed = live?.unconfirmed(entry, until: freshness.limit(of: entry)) ?? freshness.unconfirmed(entry, by: confirmation)
        }
        let verdict = verdict(of: entry, at: now, unconfirmedSince: unconfirmed)
        if isCache, verdict.isFresh, let renewed = request.renewed, let entry = copy(until: verdict.freshUntil),
            !entry.isNewer(than: renewed.entry)
        {
            var known = reply(.none, .miss, reason: "no newer than the copy of \(renewed.source)")
            known.expired = [ExpiredCopy(source: name, entry: entry, since: now)]
            return known
        }
        switch verdict {
        case .invalid(let problem):
            let detail = isCache ? nil : entry?.payload.map(SourceError.detail)
            if source.mayRepeat { return reply(.failed(isFinal: false), .invalid, reason: problem, detail: shown(detail)) }
            var error = SourceError(problem, kind: .invalid)
            error.detail = detail
            error.retry = .never()
            return failed(error, since: begin ?? now)
        case .early:
            var early = reply(.none, .expired, reason: "created in the future")
            // A clock that lost its time makes every copy look like that.
            if request.policy == .offline, let entry = copy(until: now) {
                early.expired = [ExpiredCopy(source: name, entry: entry, since: now)]
            }
            return early
        case .notFound(let limit): if let entry = copy(until: limit) { return reply(.notFound(entry), .notFound) }
        case .fresh(let limit), .due(let limit):
            guard let entry = copy(until: limit) else { break }
            var hit = reply(.value(entry), .hit, reason: hitReason)
            if case .due = verdict { hit.wantsRefresh = request.policy.mayServeStale }
            return hit
        case .stale(let limit), .expired(let limit):
            guard let entry = copy(until: limit) else { break }
            let copy = ExpiredCopy(source: name, entry: entry, since: limit, isUnconfirmed: unconfirmed != nil)
            if case .stale = verdict, request.policy.mayServeStale, !request.renews {
                let reason = "\(copy.reason(at: now)), within stale_while_revalidate"
                var stale = reply(.stale(entry, reason: reason), .stale, reason: reason)
                stale.wantsRefresh = true
                stale.expired = [copy]
                return stale
            }
            var expired = reply(.none, .expired, reason: copy.reason(at: now))
            expired.expired = [copy]
            return expired
        case .missing: break
        }
        var miss = reply(.none, .miss)
        miss.lacking = [name]
        return miss
    }

    /// What an answer of the source is worth in this tier. Freshness applies to copies: an origin's answer is fresh.
    private func verdict(of entry: Entry?, at now: Timestamp, unconfirmedSince unconfirmed: Timestamp?) -> Verdict {
        guard isCache else { return Verdict(ofAnswer: entry, checking: capabilities.contains(.givesChecked) ? nil : pipeline.format) }
        return freshness.verdict(
            of: entry, at: now, unconfirmedSince: unconfirmed, checking: checksCopies ? pipeline.format : nil)
    }

    /// The reply that follows from the copy that this cache gave.
    private func judging(
        _ given: Entry?, for request: LoadRequest, since begin: Timestamp, until end: Timestamp? = nil, reason: String? = nil
    ) async throws -> LoadReply {
        guard let given, given.variant != nil else { return judged(given, for: request, since: begin, reason: reason) }
        var judgement = judgement(of: given, for: request, until: end)
        if case .later(let judge) = judgement { judgement = try await judge() }
        return judged(given, as: judgement, for: request, since: begin, reason: reason)
    }

    /// The reply that follows from a copy that is one of several, of which its origin said this.
    private func judged(
        _ given: Entry, as judgement: CopyJudgement, for request: LoadRequest, since begin: Timestamp, reason: String? = nil
    ) -> LoadReply {
        var copy = given
        switch judgement {
        case .current: return judged(given, for: request, since: begin, reason: reason)
        case .foreign, .later:
            let foreign = "made for a request with other header fields"
            return LoadReply(
                .none, from: name, attempts: [Attempt(name, .miss, duration: clock.now.duration(since: begin), reason: foreign)])
        case .changed(let change):
            copy.freshUntil = clock.now
            var reply = judged(copy, for: request, since: begin)
            if let outcome = reply.attempts.last?.outcome {
                reply.attempts = [Attempt(name, outcome, duration: clock.now.duration(since: begin), reason: change)]
            }
            return reply
        }
    }

    /// What the origin of a copy says of it that is one of several.
    private func judgement(of copy: Entry, for request: LoadRequest, until end: Timestamp? = nil) -> CopyJudgement {
        var context = ReadContext(deadline: end ?? request.readEnd ?? request.deadline, load: request.load)
        context.usualPriority = request.priority
        return judgement(of: copy, of: request.key, context)
    }

    private func judgement(of copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
        var (copy, context) = (copy, context)
        context.isInMemory = isImmediate
        copy.freshUntil = freshness.unconfirmed(copy, by: confirmation) ?? freshness.limit(of: copy)
        // Of an origin that is gone, or has another name now, nothing is known.
        return copy.source.flatMap { judges[$0] }?.judge(copy, of: key, context) ?? .foreign
    }

    /// Whether a copy is what its origin would be asked for now, and that can be said at once.
    func isCurrent(_ copy: Entry, of key: Key) -> Bool {
        if copy.variant == nil { return true }
        if case .current = judgement(of: copy, of: key, ReadContext()) { return true }
        return false
    }

    func failed(_ error: any Error, since begin: Timestamp) -> LoadReply {
        let outcome: Attempt.Outcome =
            switch (error as? SourceError)?.kind {
            case .invalid: .invalid
            case .timeout: .timeout
            case .skipped: .skipped
            case .failure, .refused, .rejected, .unasked, .notKept, nil: .error
            }
        let attempt = Attempt(
            name, outcome, duration: clock.now.duration(since: begin),
            reason: redactor.redacted("\(error)"),
            detail: shown((error as? SourceError)?.detail), error: error)
        return LoadReply(.failed(isFinal: false), from: name, attempts: [attempt])
    }

    /// The beginning of what the other side said, for a trace.
    private func shown(_ detail: String?) -> String? { detail.flatMap { redactor.redacted($0).excerpt(ofBytes: 200) } }
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
