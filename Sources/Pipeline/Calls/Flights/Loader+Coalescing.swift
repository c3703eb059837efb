extension Loader {
    /// Combines loads of the same key at the same time into one.
    ///
    /// A cancelled waiter leaves at once and alone; the load is cancelled when the last one has left. The deadline of the request that
    /// started the load holds for every request that joins it; a ``DataPipeline`` starts a new load for waiters with more time.
    ///
    /// - Parameter id: what makes two calls the same; one without it loads on its own.
    func coalescing(in flights: Flights, by id: @escaping @Sendable (Call) -> Call.ID?) -> Loader {
        Loader(name) { call, trail, standing in
            guard let id = id(call) else { return try await load(call, trail, standing) }
            return try await flights.reply(to: Waiter(id, flights.nextNumber(), for: call, trail, standing, since: flights.now), load).value
        }
    }

    /// Combines the loads of an origin that run in flights of fetches at the same time. The one that runs has the greatest priority of those,
    /// and its progress is that of each of them.
    ///
    /// - Parameter id: what makes two calls the same; one without it loads on its own.
    func coalescing(
        in flights: Flights, clock: PipelineClock, by id: @escaping @Sendable (Call, Standing) -> Call.ID?
    ) -> Loader {
        Loader(name) { call, trail, standing in
            guard let id = id(call, standing) else { return try await load(call, trail, standing) }
            var progress: LoadProgress.Observer?
            if let outer = standing.flight { progress = { outer.report($0) } }
            let priority = standing.flight?.priority
            let waiter = Waiter(
                id, flights.nextNumber(), for: call, trail, standing, since: clock.now, following: priority, progress: progress)
            let observation = priority?.observe { [weak priority] _ in
                if let priority { flights.follow(priority, waiter.number, of: id) }
            }
            defer { if let observation { priority?.stopObserving(observation) } }
            let reply = try await flights.reply(to: waiter, load)
            guard let joined = waiter.joined else { return reply.value }
            var shared = reply.value
            shared.course.joined = joined
            return shared
        }
    }
}

extension Flights {
    /// Waits for the load of `waiter`, starting `load` when none runs.
    fileprivate func reply(to waiter: Waiter, _ load: @escaping Loader.Load) async throws -> SharedReply {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { join(waiter, $0, load) }
        } onCancel: {
            leave(waiter)
        }
    }
}
