package import Pipeline

/// A ``StubSource`` whose reads keep their time limit themselves, so that they need no task of their own.
package struct PunctualStub: WritableSource, PunctualSource {
    private let stub: StubSource
    private let during: @Sendable () -> Void

    /// - Parameter during: is called in the middle of each read.
    package init(_ stub: StubSource, during: @escaping @Sendable () -> Void = {}) {
        self.stub = stub
        self.during = during
    }

    package func read(_ key: Key, until limit: ReadLimit) async throws -> Entry? {
        let race = Race<Entry?>()
        // Ends with the read, which is cancelled when nobody waits for it any more.
        let work = Task.beginning { [self] in
            do {
                race.finish(.success(try await read(key)))
            } catch {
                race.finish(.failure(error))
            }
        }
        return try await race.value(until: limit, on: stub.script.clock) { work.cancel() }
    }

    package func read(_ key: Key) async throws -> Entry? {
        let found = try await stub.read(key)
        during()
        return found
    }

    package func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }

    package func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await stub.renew(held, as: entry, for: key)
    }

    package func remove(_ key: Key) async throws { try await stub.remove(key) }

    package func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }
}
