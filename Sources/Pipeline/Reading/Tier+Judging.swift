extension Tier {
    /// What the copies of a cache are judged by.
    struct CopyRules: Sendable {
        let freshness: Freshness
        /// Whether the payload of a copy is checked when it is read. What memory holds was checked when it came in.
        var checksPayload: Bool
        /// Since when this process receives invalidation messages for its own copies; nil where no source publishes any, or the source is
        /// shared.
        var confirmation: Confirmation?
        /// Says what the copies of a key are worth if something follows it; nil for an origin.
        var confirmations: (@Sendable (Key) -> CopyConfirmation?)?
        /// The origins that judge their copies in this cache, by their names; empty for an origin.
        var judges: [String: any Source] = [:]

        /// Since when `entry` is expired because it may have missed a message; nil for a copy that has not.
        ///
        /// - Parameter say: what is known of the copies of its key; nil where nothing follows it.
        func unconfirmed(_ entry: Entry, _ say: CopyConfirmation? = nil) -> Timestamp? {
            say?.unconfirmed(entry, until: freshness.limit(of: entry)) ?? freshness.unconfirmed(entry, by: confirmation)
        }

        /// Whether a copy that was checked is fresh.
        func isFresh(_ held: Entry, at now: Timestamp) -> Bool {
            freshness.verdict(of: held, at: now, unconfirmedSince: unconfirmed(held)).isFresh
        }

        /// What the origin of a copy says of it that is one of several. Of an origin that is gone, or has another name now, nothing is known.
        func judgement(of copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
            var copy = copy
            copy.freshUntil = unconfirmed(copy) ?? freshness.limit(of: copy)
            return copy.source.flatMap { judges[$0] }?.judge(copy, of: key, context) ?? .foreign
        }
    }

    /// The reply that follows from the source's answer.
    ///
    /// - Parameters:
    ///   - begin: when it was asked; nil for an answer without a wait.
    ///   - reason: what there is to say about a hit.
    func judged(_ given: Entry?, for call: Call, _ trail: Trail, since begin: Timestamp?, reason hitReason: String? = nil) -> LoadReply {
        let now = clock.now
        let say = given == nil ? nil : rules.confirmations?(call.key)
        let entry = if let say { given.map(say.confirmed) } else { given }
        func reply(_ answer: LoadReply.Answer, _ outcome: Attempt.Outcome, reason: String? = nil, detail: String? = nil) -> LoadReply {
            let duration = begin.map { now.duration(since: $0) } ?? .zero
            return LoadReply(answer, from: name, attempts: [Attempt(name, outcome, duration: duration, reason: reason, detail: detail)])
        }
        func copy(until limit: Timestamp?) -> Entry? {
            var copy = entry
            copy?.freshUntil = limit
            return copy
        }
        let unconfirmed = isCache ? entry.flatMap { rules.unconfirmed($0, say) } : nil
        let verdict = verdict(of: entry, at: now, unconfirmedSince: unconfirmed)
        if isCache, verdict.isFresh, let renewed = call.renewed(on: trail), let entry = copy(until: verdict.freshUntil),
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
            if call.policy == .offline, let entry = copy(until: now) {
                early.expired = [ExpiredCopy(source: name, entry: entry, since: now)]
            }
            return early
        case .notFound(let limit): if let entry = copy(until: limit) { return reply(.notFound(entry), .notFound) }
        case .fresh(let limit), .due(let limit):
            guard let entry = copy(until: limit) else { break }
            var hit = reply(.value(entry), .hit, reason: hitReason)
            if case .due = verdict { hit.wantsRefresh = call.policy.mayServeStale }
            return hit
        case .stale(let limit), .expired(let limit):
            guard let entry = copy(until: limit) else { break }
            let copy = ExpiredCopy(source: name, entry: entry, since: limit, isUnconfirmed: unconfirmed != nil)
            if case .stale = verdict, call.policy.mayServeStale, !call.renews {
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
        miss.trail.attempts[0].hasNoCopy = true
        return miss
    }

    /// What an answer of the source is worth in this tier. Freshness applies to copies: an origin's answer is fresh.
    private func verdict(of entry: Entry?, at now: Timestamp, unconfirmedSince unconfirmed: Timestamp?) -> Verdict {
        guard isCache else { return Verdict(ofAnswer: entry, checking: capabilities.contains(.givesChecked) ? nil : pipeline.format) }
        return rules.freshness.verdict(
            of: entry, at: now, unconfirmedSince: unconfirmed, checking: rules.checksPayload ? pipeline.format : nil)
    }

    /// The reply that follows from the copy that this cache gave.
    func judging(
        _ given: Entry?, for call: Call, _ trail: Trail, _ standing: Standing, since begin: Timestamp, until end: Timestamp? = nil,
        reason: String? = nil
    ) async throws -> LoadReply {
        guard let given, given.variant != nil else { return judged(given, for: call, trail, since: begin, reason: reason) }
        var judgement = judgement(of: given, for: call, until: end ?? standing.attempt.end, standing.originLoad)
        if case .later(let judge) = judgement { judgement = try await judge() }
        return judged(given, as: judgement, for: call, trail, since: begin, reason: reason)
    }

    /// The reply that follows from a copy, on the calling thread; nil if its origin has to wait to say what the copy is worth.
    func judgedAtOnce(_ given: Entry?, for call: Call, _ trail: Trail, since begin: Timestamp) -> LoadReply? {
        guard let given, given.variant != nil else { return judged(given, for: call, trail, since: begin) }
        let judgement = judgement(of: given, for: call)
        if case .later = judgement { return nil }
        return judged(given, as: judgement, for: call, trail, since: begin)
    }

    /// The reply that follows from a copy that is one of several, of which its origin said this.
    private func judged(
        _ given: Entry, as judgement: CopyJudgement, for call: Call, _ trail: Trail, since begin: Timestamp, reason: String? = nil
    ) -> LoadReply {
        var copy = given
        switch judgement {
        case .current: return judged(given, for: call, trail, since: begin, reason: reason)
        case .foreign, .later:
            let foreign = "made for a request with other header fields"
            return LoadReply(
                .none, from: name, attempts: [Attempt(name, .miss, duration: clock.now.duration(since: begin), reason: foreign)])
        case .changed(let change):
            copy.freshUntil = clock.now
            var reply = judged(copy, for: call, trail, since: begin)
            if let outcome = reply.attempts.last?.outcome {
                reply.attempts = [Attempt(name, outcome, duration: clock.now.duration(since: begin), reason: change)]
            }
            return reply
        }
    }

    /// What the origin of a copy says of it that is one of several.
    private func judgement(
        of copy: Entry, for call: Call, until end: Timestamp? = nil, _ load: LoadPriority? = nil
    ) -> CopyJudgement {
        var context = ReadContext(deadline: end ?? call.deadline, load: load)
        context.usualPriority = call.priority
        return judgement(of: copy, of: call.key, context)
    }

    private func judgement(of copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
        var context = context
        context.isInMemory = isImmediate
        return rules.judgement(of: copy, of: key, context)
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
