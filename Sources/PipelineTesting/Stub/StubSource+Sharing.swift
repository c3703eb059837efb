public import Pipeline

extension StubSource {
    /// Tells the others that share its store and listen.
    public func announce(_ announcement: Announcement) async throws {
        try await script.perform(.announce(announcement)) { _ in
            store.announce(announcement, by: ObjectIdentifier(self))
        }
    }

    /// Hears what the others announce while the connections of the store hold.
    public func listen(_ hear: @escaping @Sendable (HeardEvent) async -> Void) async {
        let (events, continuation) = AsyncStream.makeStream(of: HeardEvent.self)
        let number = store.listen(as: ObjectIdentifier(self), continuation)
        defer { store.leave(number) }
        for await event in events {
            try? await script.perform(.hear(event)) { _ in await hear(event) }
        }
    }

    /// Returns when at least `count` events were heard, and what they ask for at once was done, or when the calling task is cancelled.
    public func hearings(atLeast count: Int) async { await finished(.hearings, atLeast: count) }
}

extension StubSource {
    /// Takes a lease in the store, on the source's clock.
    public func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool {
        try await script.perform(.takeLease(key, holder: holder)) { _ in
            store.takeLease(of: key, for: holder, lasting: duration, at: script.clock.now)
        }
    }

    /// Gives it back.
    public func releaseLease(of key: Key, by holder: String) async throws {
        try await script.perform(.releaseLease(key, holder: holder)) { _ in
            store.releaseLease(of: key, by: holder)
        }
    }

    /// Gives it back, and has the store name the holder.
    public func releaseVainLease(of key: Key, by holder: String, toldFor duration: Duration) async throws {
        try await script.perform(.releaseVainLease(key, holder: holder)) { _ in
            store.releaseVainLease(of: key, by: holder, toldFor: duration, at: script.clock.now)
        }
    }

    /// Whom the store names.
    public func lastVainHolder(of key: Key) async throws -> String? {
        try await script.perform(.askForVainHolder(key)) { _ in
            store.lastVainHolder(of: key, at: script.clock.now)
        }
    }
}
