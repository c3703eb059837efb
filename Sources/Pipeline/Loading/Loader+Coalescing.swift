extension Loader {
    /// Makes one load of all that ask for the same key at the same time.
    ///
    /// A waiter that is cancelled leaves at once and alone; the load is cancelled when the last one has left.
    public func coalescing() -> Loader {
        coalescing(in: Flights()) { Flights.ID(key: $0.key, policy: $0.policy) }
    }

    func coalescing(in flights: Flights, by id: @escaping @Sendable (LoadRequest) -> Flights.ID) -> Loader {
        Loader(name, immediate: immediate) { request in
            try await flights.join(id(request)) { try await load(request) }
        }
    }
}
