extension Loader {
    /// Combines loads of the same key at the same time into one.
    ///
    /// A cancelled waiter leaves at once and alone; the load is cancelled when the last one has left. The deadline of the request that
    /// started the load holds for every request that joins it; a ``DataPipeline`` starts a new load for waiters with more time.
    ///
    /// - Parameter id: what makes two requests the same; one without it loads on its own.
    func coalescing(in flights: Flights, by id: @escaping @Sendable (LoadRequest) -> Flights.ID?) -> Loader {
        Loader(name) { request in
            guard let id = id(request) else { return try await load(request) }
            return try await flights.reply(to: Waiter(id, flights.nextNumber(), for: request, since: flights.now), load).value
        }
    }

    /// Combines the loads of an origin that run under `outer` at the same time. The one that runs has the greatest priority of those, and its
    /// progress is that of each of them.
    ///
    /// - Parameter id: what makes two requests the same; one without it loads on its own.
    func coalescing(
        in flights: Flights, under outer: Flights, clock: PipelineClock, by id: @escaping @Sendable (LoadRequest) -> Flights.ID?
    ) -> Loader {
        Loader(name) { request in
            guard let id = id(request) else { return try await load(request) }
            var joining = request
            var priority: LoadPriority?
            if let flight = request.flight {
                priority = outer.priority(of: flight, request.flightID)
                let waiting = request.flightID
                joining.progress = { outer.report($0, to: flight, of: waiting) }
            }
            let waiter = Waiter(id, flights.nextNumber(), for: joining, since: clock.now, following: priority)
            let observation = priority?.observe { [weak priority] _ in
                if let priority { flights.follow(priority, waiter.number, of: id) }
            }
            defer { if let observation { priority?.stopObserving(observation) } }
            let reply = try await flights.reply(to: waiter, load)
            guard let joined = waiter.joined else { return reply.value }
            var shared = reply.value
            shared.joined = joined
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
