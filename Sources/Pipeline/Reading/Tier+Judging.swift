extension Tier {
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
    func judging(
        _ given: Entry?, for request: LoadRequest, since begin: Timestamp, until end: Timestamp? = nil, reason: String? = nil
    ) async throws -> LoadReply {
        guard let given, given.variant != nil else { return judged(given, for: request, since: begin, reason: reason) }
        var judgement = judgement(of: given, for: request, until: end)
        if case .later(let judge) = judgement { judgement = try await judge() }
        return judged(given, as: judgement, for: request, since: begin, reason: reason)
    }

    /// The same on the calling thread; nil where its origin takes a wait to say what the copy is worth.
    func judgedAtOnce(_ given: Entry?, for request: LoadRequest, since begin: Timestamp) -> LoadReply? {
        guard let given, given.variant != nil else { return judged(given, for: request, since: begin) }
        let judgement = judgement(of: given, for: request)
        if case .later = judgement { return nil }
        return judged(given, as: judgement, for: request, since: begin)
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
