public import Pipeline

extension StubSource {
    /// Publishes a message to the subscribed sources that share its store.
    public func publish(_ invalidation: InvalidationMessage) async throws {
        try await script.perform(.publish(invalidation)) { _ in
            store.publish(invalidation, by: ObjectIdentifier(self))
        }
    }

    /// Receives the messages of the other sources while the connections of the store hold.
    public func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async {
        let (events, continuation) = AsyncStream.makeStream(of: SubscriptionEvent.self)
        let number = store.subscribe(as: ObjectIdentifier(self), continuation)
        defer { store.leave(number) }
        for await event in events {
            try? await script.perform(.receive(event)) { _ in await receive(event) }
        }
    }

    /// Returns when at least `count` events were received and handled, as far as that is done at once, or when the calling task is cancelled.
    public func receptions(atLeast count: Int) async { await finished(.receptions, atLeast: count) }
}

extension StubSource {
    /// Takes a lease in the store, on the source's clock.
    public func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool {
        try await script.perform(.takeLease(key, holder: holder)) { _ in
            store.takeLease(of: key, for: holder, lasting: duration, at: script.clock.now)
        }
    }

    /// Releases the lease, and has the store name the holder of a fruitless one.
    public func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws {
        guard let duration else {
            return try await script.perform(.releaseLease(key, holder: holder)) { _ in store.releaseLease(of: key, by: holder) }
        }
        try await script.perform(.releaseFruitlessLease(key, holder: holder)) { _ in
            store.releaseFruitlessLease(of: key, by: holder, rememberedFor: duration, at: script.clock.now)
        }
    }

    /// The holder that the store names.
    public func lastFruitlessHolder(of key: Key) async throws -> String? {
        try await script.perform(.askForFruitlessHolder(key)) { _ in
            store.lastFruitlessHolder(of: key, at: script.clock.now)
        }
    }
}
