import Pipeline

/// A cache under check, and shorthands for what its checks do over and over.
struct CacheSubject: ConformanceSubject {
    let source: any WritableSource
    let clock: PipelineClock

    let key = Key(pipeline: "friends", parameters: ["user": "42"])
    let otherKey = Key(pipeline: "friends", parameters: ["user": "43"])

    func close() async { await source.close() }

    func entry(_ text: String) -> Entry { entry(Array(text.utf8)) }

    func entry(_ payload: [UInt8]) -> Entry {
        let now = clock.now
        return Entry(payload, created: now, stored: now, freshUntil: now + .seconds(3_600))
    }

    func write(_ text: String, for key: Key) async throws {
        try await source.write(entry(text), for: key)
    }

    /// The payload stored for `key`, as text; nil on a miss.
    func text(for key: Key) async throws -> String? {
        try await source.read(key).map { Self.text(of: $0) }
    }

    static func text(of entry: Entry) -> String {
        entry.payload.map { String(decoding: $0, as: UTF8.self) } ?? "(not found)"
    }
}

extension String? {
    /// How a sentence calls what was read.
    var inWords: String { map { "`\($0)`" } ?? "nothing" }
}
