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
    /// Its script, and the calls it has received.
    public let script: SourceScript
    /// Whether it publishes messages about changes.
    public let publishes: Bool
    /// How it shares loads with others; nil when it holds no leases.
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

    /// What it holds.
    public var contents: [Key: Entry] { store.contents }

    /// The entry it holds for `key`; does not count as a read.
    public subscript(key: Key) -> Entry? { store.contents[key] }

    /// The payload it holds for `key`, as text; nil where it holds none or knows that there is no value.
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
        try await script.perform(.read(key)) { began in
            try await script.answer(to: key, began: began) { self[key] }
        }
    }

    /// Keeps the entry as it is, not-found entries too.
    public func write(_ entry: Entry, for key: Key) async throws {
        try await script.perform(.write(key, entry)) { _ in
            store.change { $0[key] = entry }
        }
    }

    /// Keeps `entry` in the place of `held`, if that is still there.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await script.perform(.renew(key, entry)) { _ in
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
        try await script.perform(.remove(key)) { _ in
            store.change { $0[key] = nil }
        }
    }

    /// Forgets the keys of this pipeline.
    public func clear(pipeline: String) async throws {
        try await script.perform(.clear(pipeline: pipeline)) { _ in
            store.change { held in
                held = held.filter { !$0.key.pipeline.utf8.elementsEqual(pipeline.utf8) }
            }
        }
    }
}
