public import Pipeline

/// A cache for tests: it keeps what is written, unless its script says otherwise.
///
/// ```swift
/// let disk = StubSource("disk", clock: time.clock)
/// disk.hold("[1]", for: key)
/// disk.fail(.writes, with: SourceError("disk full"))
/// …
/// #expect(disk.calls == [.read(key)])
/// ```
///
/// Several can hold one ``SharedStore`` together, as the processes of a test.
public final class StubSource: SharedSource, ScriptedSource {
    /// The script of the source, and the calls it has received.
    public let script: SourceScript
    /// Indicates whether it publishes messages about changes.
    public let publishes: Bool
    /// The way in which it shares loads with others; nil if it holds no leases.
    public let sharedFlight: SharedFlight?
    let store: SharedStore

    /// A cache that holds what `store` holds. `name` stands in the errors it throws by itself.
    public init(
        _ name: String = "the stub", clock: PipelineClock, sharing store: SharedStore = SharedStore(), publishes: Bool = false,
        sharedFlight: SharedFlight? = nil
    ) {
        script = SourceScript(name: name, clock: clock, answer: .contents)
        self.store = store
        self.publishes = publishes
        self.sharedFlight = sharedFlight
    }

    /// The copies that it holds.
    public var contents: [Key: Entry] { store.contents }

    /// The entry it holds for `key`; does not count as a read.
    public subscript(key: Key) -> Entry? { store.contents[key] }

    /// The payload it holds for `key`, as text; nil if it holds none or knows that there is no value.
    public func text(for key: Key) -> String? {
        self[key]?.payload.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Puts `entry` there without a write.
    public func hold(_ entry: Entry, for key: Key) {
        store.change { $0[key] = entry }
    }

    /// Puts a value created and stored now there, without a write.
    ///
    /// - Parameter freshFor: counted from now; nil without a limit.
    public func hold(_ text: String, for key: Key, freshFor: Duration? = nil) {
        let now = script.clock.now
        hold(Entry(Array(text.utf8), created: now, stored: now, freshUntil: freshFor.map { now + $0 }), for: key)
    }

    /// Reads what the script answers: what the source holds, unless told otherwise.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try await script.perform(.read(key)) { began, ready in
            try await script.answer(to: key, began: began, ready: ready) { self[key] }
        }
    }

    /// Keeps the entry as it is, not-found entries too.
    public func write(_ entry: Entry, for key: Key) async throws {
        try await script.perform(.write(key, entry)) { _, _ in
            store.change { $0[key] = entry }
        }
    }

    /// Keeps `entry` in the place of `held`, if that is still there.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await script.perform(.renew(key, entry)) { _, _ in
            store.change { contents in
                guard let present = contents[key], present.payload == held.payload, present.created == held.created,
                    present.stored == held.stored
                else { return false }
                contents[key] = entry
                return true
            }
        }
    }

    /// Forgets the key.
    public func remove(_ key: Key) async throws {
        try await script.perform(.remove(key)) { _, _ in
            store.change { $0[key] = nil }
        }
    }

    /// Forgets the keys of this pipeline.
    public func clear(pipeline: String) async throws {
        try await script.perform(.clear(pipeline: pipeline)) { _, _ in
            store.change { held in
                held = held.filter { !$0.key.pipeline.utf8.elementsEqual(pipeline.utf8) }
            }
        }
    }
}

extension StubSource {
    /// Publishes a message to the subscribed sources that share its store.
    public func publish(_ invalidation: InvalidationMessage) async throws {
        try await script.perform(.publish(invalidation)) { _, _ in
            store.publish(invalidation, by: ObjectIdentifier(self))
        }
    }

    /// Receives the messages of the other sources while the connections of the store hold.
    public func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async {
        let (events, continuation) = AsyncStream.makeStream(of: SubscriptionEvent.self)
        let number = store.subscribe(as: ObjectIdentifier(self), continuation)
        defer { store.leave(number) }
        for await event in events {
            try? await script.perform(.receive(event)) { _, _ in await receive(event) }
        }
    }

    /// Returns when at least `count` events were received and handled, as far as that is done at once, or when the calling task is cancelled.
    public func receptions(atLeast count: Int) async { await finished(.receptions, atLeast: count) }
}

extension StubSource {
    /// Takes a lease in the store, on the source's clock.
    public func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool {
        try await script.perform(.takeLease(key, holder: holder)) { _, _ in
            store.takeLease(of: key, for: holder, lasting: duration, at: script.clock.now)
        }
    }

    /// Releases the lease, and has the store name the holder of a fruitless one.
    public func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws {
        guard let duration else {
            return try await script.perform(.releaseLease(key, holder: holder)) { _, _ in store.releaseLease(of: key, by: holder) }
        }
        try await script.perform(.releaseFruitlessLease(key, holder: holder)) { _, _ in
            store.releaseFruitlessLease(of: key, by: holder, rememberedFor: duration, at: script.clock.now)
        }
    }

    /// The holder that the store names.
    public func lastFruitlessHolder(of key: Key) async throws -> String? {
        try await script.perform(.askForFruitlessHolder(key)) { _, _ in
            store.lastFruitlessHolder(of: key, at: script.clock.now)
        }
    }
}
