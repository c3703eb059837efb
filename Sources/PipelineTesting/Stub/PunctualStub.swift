package import Pipeline

/// A ``StubSource`` whose reads keep their time limit themselves, so that they need no task of their own.
package struct PunctualStub: WritableSource {
    private let stub: StubSource
    private let during: @Sendable () -> Void

    /// - Parameter during: is called in the middle of each read.
    package init(_ stub: StubSource, during: @escaping @Sendable () -> Void = {}) {
        self.stub = stub
        self.during = during
    }

    package var style: ReadStyle { .punctual }

    package func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let race = Race<Entry?>()
        // Ends with the read; cancelled when its caller no longer waits.
        let work = Task.beginning { [self] in
            do {
                let found = try await stub.read(key, context)
                during()
                race.finish(.success(found))
            } catch {
                race.finish(.failure(error))
            }
        }
        let limit = ReadLimit(end: context.deadline ?? .distantFuture)
        return try await race.value(until: limit, on: stub.script.clock) { work.cancel() }
    }

    package func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }

    package func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await stub.renew(held, as: entry, for: key)
    }

    package func remove(_ key: Key) async throws { try await stub.remove(key) }

    package func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }
}
