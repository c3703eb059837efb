extension Loader {
    /// Gives the loader at most `limit` to answer, and no more than is left until the request's deadline.
    ///
    /// At the limit the load is cancelled and left behind: a load that ignores its cancellation delays no caller.
    package func timingOut(after limit: Duration, clock: PipelineClock) -> Loader {
        timingOut(after: limit, clock: clock) { _ in false }
    }

    /// - Parameter mayBlock: whether the load of a request may block its thread, which then is not the caller's.
    func timingOut(after limit: Duration, clock: PipelineClock, where mayBlock: @escaping @Sendable (LoadRequest) -> Bool) -> Loader {
        Loader(name) { request in
            // A load that was cancelled between two tiers does not touch the next.
            try Task.checkCancellation()
            let limit = TimeLimit(limit, for: request, since: request.tryingSince ?? clock.now)
            if limit.isOver { return limit.reply(of: name, at: limit.begin) }

            var timed = request
            timed.readEnd = limit.end
            return try await clock.race(
                until: limit.end, elsewhere: mayBlock(request), late: { limit.reply(of: name, at: clock.now) }
            ) { [timed] in
                let reply = try await load(timed)
                // A source that keeps the limit itself fails when it has passed: that is a timeout, whichever comes first.
                return reply.hasFailed && limit.end <= clock.now ? limit.reply(of: name, at: clock.now) : reply
            }
        }
    }
}
