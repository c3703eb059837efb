public import Pipeline
import Synchronization

/// A cache for tests: it keeps what is written, unless its script says otherwise.
///
/// ```swift
/// let disk = StubSource("disk", clock: time.clock)
/// disk.hold("[1]", for: key)
/// disk.fail(.writes, with: SourceError("disk full"))
/// …
/// #expect(disk.calls == [.read(key)])
/// ```
public final class StubSource: WritableSource, ScriptedSource {
    /// What it was told and asked.
    public let script: SourceScript
    private let held = Mutex<[Key: Entry]>([:])

    /// An empty cache. `name` stands in the errors it throws by itself.
    public init(_ name: String = "the stub", clock: PipelineClock) {
        script = SourceScript(name: name, clock: clock, answer: .contents)
    }

    /// What it holds.
    public var contents: [Key: Entry] { held.withLock { $0 } }

    /// The entry it holds for `key`; does not count as a read.
    public subscript(key: Key) -> Entry? { held.withLock { $0[key] } }

    /// The payload it holds for `key`, as text; nil where it holds none or knows that there is no value.
    public func text(for key: Key) -> String? {
        self[key]?.payload.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Puts `entry` there without a write.
    public func hold(_ entry: Entry, for key: Key) {
        held.withLock { $0[key] = entry }
    }

    /// Puts a value created and stored now there, without a write.
    ///
    /// - Parameter freshFor: counted from now; nil without a limit.
    public func hold(_ text: String, for key: Key, freshFor: Duration? = nil) {
        let now = script.clock.now
        hold(Entry(Array(text.utf8), created: now, stored: now, freshUntil: freshFor.map { now + $0 }), for: key)
    }

    /// What the script answers: what it holds, unless told otherwise.
    public func read(_ key: Key) async throws -> Entry? {
        try await script.perform(.read(key)) { began in
            try await script.answer(to: key, began: began) { self[key] }
        }
    }

    /// Keeps the entry as it is, not-found entries too.
    public func write(_ entry: Entry, for key: Key) async throws {
        try await script.perform(.write(key, entry)) { _ in
            held.withLock { $0[key] = entry }
        }
    }

    /// Forgets the key.
    public func remove(_ key: Key) async throws {
        try await script.perform(.remove(key)) { _ in
            held.withLock { _ = $0.removeValue(forKey: key) }
        }
    }

    /// Forgets the keys of this pipeline.
    public func clear(pipeline: String) async throws {
        try await script.perform(.clear(pipeline: pipeline)) { _ in
            held.withLock { held in
                held = held.filter { !$0.key.pipeline.utf8.elementsEqual(pipeline.utf8) }
            }
        }
    }
}
