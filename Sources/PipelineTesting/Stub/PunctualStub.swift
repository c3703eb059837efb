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
        let end = context.deadline ?? .distantFuture
        return try await stub.script.clock.race(until: end, late: { throw PastLimit() }) { [stub, during] in
            let found = try await stub.read(key, context)
            during()
            return found
        }
    }

    package func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }

    package func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await stub.renew(held, as: entry, for: key)
    }

    package func remove(_ key: Key) async throws { try await stub.remove(key) }

    package func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }
}
