extension Loader {
    /// Serves a copy that `windows` allow when the load fails; not when it finds that there is no value.
    ///
    /// After a failed load the origins are not asked for this key for a second: the copy is served without them. Neither are they
    /// in the first second of a load that goes on.
    func servingStale(in windows: StaleWindows, clock: PipelineClock) -> Loader {
        let failures = FailureThrottle(clock: clock)
        return Loader(name) { call, trail, standing in
            guard call.policy.mayServeStale else { return try await load(call, trail, standing) }
            var throttled = standing
            if let rest = failures.rest(of: call.key) {
                throttled.originsRestReason =
                    rest.isRunning
                    ? "a load is still running"
                    : "a load failed less than \(StaleWindows.pause.rounded) ago, not tried again for \(rest.left.rounded)"
            }
            let reply = try await load(call, trail, throttled)
            let isResting = throttled.originsRestReason != nil
            guard reply.hasFailed || isResting && reply.isEmpty else { return reply }
            guard let copy = reply.servable(at: clock.now, in: windows) else {
                // There is no copy to serve: the origins are asked after all.
                return isResting ? try await load(call, trail.unasked, standing) : reply
            }
            if !isResting { failures.note(call.key, until: reply.course.ending) }
            return reply.serving(copy, at: clock.now, because: "within stale_if_error", after: reply.unreached)
        }
    }

    /// Has a fresh copy of the caches below win over a stale one of this loader, where those answer soon.
    ///
    /// - Parameter elsewhere: whether reading them may block a thread, which then is not the caller's.
    func preferringFresh(from caches: Loader, elsewhere: Bool, clock: PipelineClock) -> Loader {
        Loader(name) { call, trail, standing in
            let stale = try await load(call, trail, standing)
            guard stale.isStale else { return stale }
            var below = trail.followed(by: stale.trail)
            below.expired = stale.expired + trail.expired
            let end = min(clock.now + StaleWindows.patience, call.deadline ?? .distantFuture)
            let found = try await clock.race(until: end, elsewhere: elsewhere, late: { LoadReply?.none }) { [below] in
                try await caches.load(call.asking(for: .renewal), below, standing)
            }
            return found.map { stale.replaced(by: $0, at: clock.now) } ?? stale
        }
    }

    /// After `limit`, serves a copy that `windows` allow; the load goes on and is written back when it ends.
    func yielding(after limit: Duration, toStaleIn windows: StaleWindows, clock: PipelineClock, in background: BackgroundTasks) -> Loader {
        Loader(name) { call, trail, standing in
            let begin = clock.now
            let hasCopy =
                call.policy.mayServeStale
                && trail.expired.contains { windows.allowAfterError($0.entry, expiredSince: $0.since, at: begin + limit) }
            guard hasCopy else { return try await load(call, trail, standing) }
            var ongoing: Task<Void, Never>?
            let ending = LoadEnding()
            var reply = try await clock.race(
                until: begin + limit,
                late: {
                    let reason = "no answer within the soft timeout of \(limit.spelling), the load goes on"
                    let attempt = Attempt(name, .timeout, duration: clock.now.duration(since: begin), reason: reason)
                    var late = LoadReply(.failed(isFinal: true), attempts: [attempt])
                    late.course.ending = ending
                    return late
                },
                // It outlives the fetch, since the caches need its answer. It has a time limit of its own, and ends with the pipelines.
                leaving: { ongoing = $0 }
            ) {
                let result = await Result { try await load(call, trail, standing) }
                ending.end(result, at: clock.now)
                return try result.get()
            }
            if let ongoing {
                // Before the fetch is answered: its caller may ask at once what is still running.
                background.adopt(ongoing)
                reply.course.ongoing = ongoing
            }
            return reply
        }
    }
}

extension LoadReply {
    fileprivate var isEmpty: Bool {
        if case .none = answer { true } else { false }
    }

    /// The source that was not reached, when that is why the load failed.
    fileprivate var unreached: String? {
        attempts.last { ($0.error as? SourceError)?.isUnreached == true }?.source
    }

    /// The answer of the caches below, or this stale one where they have none.
    fileprivate func replaced(by below: LoadReply, at now: Timestamp) -> LoadReply {
        guard below.isAnswer else {
            var stale = self
            stale.attempts += below.attempts
            return stale
        }
        var fresh = below
        let own = attempts.map { attempt in
            guard attempt.outcome == .stale, let copy = expired.first(where: { $0.source == attempt.source }) else { return attempt }
            return Attempt(attempt.source, .expired, duration: attempt.duration, reason: copy.reason(at: now))
        }
        fresh.trail = trail.followed(by: below.trail)
        fresh.attempts = own + below.attempts
        return fresh
    }

    fileprivate func servable(at now: Timestamp, in windows: StaleWindows) -> ExpiredCopy? {
        expired.filter { windows.allowAfterError($0.entry, expiredSince: $0.since, at: now, answered: status(about: $0.entry)) }
            .max { $0.entry.created < $1.entry.created }
    }

    /// The status with which the origin of `copy` answered, or else any origin; nil where none did.
    private func status(about copy: Entry) -> Int? {
        let own = attempts.filter { $0.source == copy.source }
        return (own.isEmpty ? attempts : own).lazy.compactMap { ($0.error as? SourceError)?.status }.first
    }

    /// The reply with `copy` in place of a failure.
    ///
    /// - Parameters:
    ///   - reason: why it may be served, as the end of a sentence about its age.
    ///   - unreached: the source that cannot be reached; nil for another failure.
    func serving(_ copy: ExpiredCopy, at now: Timestamp, because reason: String, after unreached: String? = nil) -> LoadReply {
        var reply = self
        let offline = unreached.map { "offline, `\($0)` cannot be reached" }
        let reason = [offline, copy.reason(at: now), reason].compactMap(\.self).joined(separator: ", ")
        reply.answer = .stale(copy.entry, reason: reason)
        reply.source = copy.source
        reply.detail = detail?.replaced(by: copy.entry)
        reply.attempts = []
        for attempt in attempts {
            let isServed = attempt.source == copy.source && attempt.outcome == .expired
            reply.trail.attempts.append(
                isServed ? Attempt(attempt.source, .stale, duration: attempt.duration, reason: reason) : attempt)
        }
        return reply
    }
}
