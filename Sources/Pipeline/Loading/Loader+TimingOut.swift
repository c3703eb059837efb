extension Loader {
    /// Gives the loader at most `limit`, and what is left until the request's deadline, to answer.
    ///
    /// At the limit the load is cancelled and left behind: one that ignores its cancellation holds up nobody.
    public func timingOut(after limit: Duration, clock: PipelineClock) -> Loader {
        timingOut(after: limit, clock: clock) { _ in false }
    }

    /// - Parameter mayBlock: whether the load of a request may hold up the thread that it is on, which then is not that of who waits.
    func timingOut(after limit: Duration, clock: PipelineClock, where mayBlock: @escaping @Sendable (LoadRequest) -> Bool) -> Loader {
        Loader(name, immediate: immediate) { request in
            // A load that was cancelled between two tiers does not touch the next.
            try Task.checkCancellation()
            let begin = clock.now
            let left = request.deadline?.duration(since: begin)
            let isDeadline = left.map { $0 < limit } ?? false
            let allowed = min(limit, left ?? limit)
            guard allowed > .zero else { return .timedOut(name, after: .zero, limit: allowed, isDeadline: isDeadline) }

            let race = Race<LoadReply>()
            // Ends with the load, which is cancelled when this stage has its answer.
            let work = Task.beginning(elsewhere: mayBlock(request)) { _ = race.finish(await Result { try await load(request) }) }
            if let result = race.result { return try result.get() }
            let alarm = clock.alarms.set(at: begin + allowed) {
                let elapsed = clock.now.duration(since: begin)
                race.finish(.success(.timedOut(name, after: elapsed, limit: allowed, isDeadline: isDeadline)))
            }
            defer {
                clock.alarms.cancel(alarm)
                work.cancel()
            }
            return try await race.value { work.cancel() }
        }
    }
}

extension LoadReply {
    fileprivate static func timedOut(_ name: String, after elapsed: Duration, limit: Duration, isDeadline: Bool) -> LoadReply {
        let reason =
            isDeadline
            ? (limit > .zero ? "no answer within the \(limit.rounded) left until the deadline" : "no time left until the deadline")
            : "no answer within \(limit.written ?? "")"
        var reply = LoadReply(
            .failed(isFinal: false), attempts: Attempts(Attempt(name, .timeout, duration: elapsed, reason: reason)))
        reply.isPastDeadline = isDeadline
        return reply
    }
}
