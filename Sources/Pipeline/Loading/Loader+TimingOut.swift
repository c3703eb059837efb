extension Loader {
    /// Gives the loader at most `limit`, and what is left until the request's deadline, to answer.
    ///
    /// At the limit the load is cancelled and left behind: one that ignores its cancellation holds up nobody.
    public func timingOut(after limit: Duration, clock: PipelineClock) -> Loader {
        timingOut(after: limit, clock: clock) { _ in false }
    }

    /// - Parameter mayBlock: whether the load of a request may hold up the thread that it is on, which then is not that of who waits.
    func timingOut(after limit: Duration, clock: PipelineClock, where mayBlock: @escaping @Sendable (LoadRequest) -> Bool) -> Loader {
        Loader(name, begin: begin) { request in
            // A load that was cancelled between two tiers does not touch the next.
            try Task.checkCancellation()
            let limit = TimeLimit(limit, for: request, since: clock.now)
            if limit.isOver { return limit.reply(of: name, at: limit.begin) }

            var timed = request
            timed.readEnd = limit.end
            let race = Race<LoadReply>()
            // Ends with the load, which is cancelled when this stage has its answer.
            let work = Task.beginning(elsewhere: mayBlock(request)) { [timed] in
                var result = await Result { try await load(timed) }
                // A source that keeps the limit itself fails when it has passed: that is a timeout, whichever comes first.
                if case .success(let reply) = result, reply.hasFailed, limit.end <= clock.now {
                    result = .success(limit.reply(of: name, at: clock.now))
                }
                race.finish(result)
            }
            if let result = race.result { return try result.get() }
            let alarm = clock.alarms.set(at: limit.end) { race.finish(.success(limit.reply(of: name, at: clock.now))) }
            defer {
                clock.alarms.cancel(alarm)
                work.cancel()
            }
            return try await race.value { work.cancel() }
        }
    }
}
