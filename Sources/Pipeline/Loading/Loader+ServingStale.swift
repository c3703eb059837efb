extension Loader {
    /// Serves a copy that expired less than `window` ago when the load fails; not when it finds that there is no value.
    ///
    /// After a failed load the origins rest for a second, for this key: the copy is then served without asking them.
    public func servingStale(ifErrorWithin window: Duration, clock: PipelineClock) -> Loader {
        let failures = FailureThrottle(clock: clock)
        return Loader(name, immediate: immediate) { request in
            guard request.policy == .default else { return try await load(request) }
            var throttled = request
            if let pause = failures.pause(for: request.key) {
                throttled.originsRestReason = "a load failed less than 1s ago, not tried again for \(pause.rounded)"
            }
            let reply = try await load(throttled)
            let isResting = throttled.originsRestReason != nil
            guard reply.hasFailed || isResting && reply.isEmpty else { return reply }
            guard let copy = reply.servable(at: clock.now, within: window) else {
                // Nothing to serve: the rest was of no use to anybody.
                return isResting ? try await load(request.unprobed) : reply
            }
            if !isResting { failures.note(request.key) }
            return reply.serving(copy, at: clock.now)
        }
    }

    /// After `limit`, serves a copy that expired less than `window` ago; the load goes on and is written back when it ends.
    public func yielding(after limit: Duration, toStaleWithin window: Duration, clock: PipelineClock) -> Loader {
        Loader(name, immediate: immediate) { request in
            let begin = clock.now
            let hasCopy =
                request.policy == .default
                && request.expired.contains { !$0.entry.isNotFound && (begin + limit).duration(since: $0.since) < window }
            guard hasCopy else { return try await load(request) }
            let race = Race<LoadReply>()
            // Ends with the load, which has a time limit of its own, or with the pipeline. It outlives the fetch: its answer is for the
            // caches.
            let work = Task.beginning { _ = race.finish(await Result { try await load(request) }) }
            if let result = race.result { return try result.get() }
            let alarm = clock.alarms.set(at: begin + limit) {
                let reason = "no answer within the soft timeout of \(limit.spelling), the load goes on"
                let attempt = Attempt(name, .timeout, duration: clock.now.duration(since: begin), reason: reason)
                var reply = LoadReply(.failed(isFinal: true), attempts: Attempts(attempt))
                reply.ongoing = work
                // Before the fetch is answered: its caller may ask at once what is still running. A load that has just ended is no harm.
                request.background?.adopt(work)
                _ = race.finish(.success(reply))
            }
            defer { clock.alarms.cancel(alarm) }
            return try await race.value { work.cancel() }
        }
    }
}

extension LoadReply {
    fileprivate var hasFailed: Bool {
        if case .failed = answer { true } else { false }
    }

    fileprivate var isEmpty: Bool {
        if case .none = answer { true } else { false }
    }

    fileprivate func servable(at now: Timestamp, within window: Duration) -> ExpiredCopy? {
        expired.filter { !$0.entry.isNotFound && now.duration(since: $0.since) < window }.max { $0.entry.created < $1.entry.created }
    }

    fileprivate func serving(_ copy: ExpiredCopy, at now: Timestamp) -> LoadReply {
        var reply = self
        let reason = "\(copy.reason(at: now)), within stale_if_error"
        reply.answer = .stale(copy.entry, reason: reason)
        reply.source = copy.source
        reply.attempts = Attempts()
        for attempt in attempts {
            let isServed = attempt.source == copy.source && attempt.outcome == .expired
            reply.attempts.append(
                isServed ? Attempt(attempt.source, .stale, duration: attempt.duration, reason: reason) : attempt)
        }
        return reply
    }
}
