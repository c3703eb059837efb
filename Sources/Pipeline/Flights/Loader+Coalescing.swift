extension Loader {
    /// Makes one load of all that ask for the same key at the same time.
    ///
    /// A waiter that is cancelled leaves at once and alone; the load is cancelled when the last one has left. The deadline of the request
    /// that started the load holds for all who join; a ``DataPipeline`` starts anew for those who have more time.
    public func coalescing() -> Loader {
        coalescing(in: Flights()) { Flights.ID(key: $0.key, policy: $0.policy) }
    }

    /// - Parameter id: what makes two requests the same; one without it loads on its own.
    func coalescing(in flights: Flights, by id: @escaping @Sendable (LoadRequest) -> Flights.ID?) -> Loader {
        Loader(name, immediate: immediate) { request in
            guard let id = id(request) else { return try await load(request) }
            return try await flights.join(Departure(id, request, leading: nil, at: .distantPast), load: load).reply
        }
    }
}
