import Pipeline

/// A source around another, a cache where that is one.
struct Wrapper<Wrapped: Source>: Source {
    let wrapped: Wrapped

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await wrapped.read(key) }
}

extension Wrapper: WritableSource where Wrapped: WritableSource {
    func write(_ entry: Entry, for key: Key) async throws { try await wrapped.write(entry, for: key) }
    func remove(_ key: Key) async throws { try await wrapped.remove(key) }
    func clear(pipeline: String) async throws { try await wrapped.clear(pipeline: pipeline) }
}
