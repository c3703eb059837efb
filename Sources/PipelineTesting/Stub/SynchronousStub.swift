package import Pipeline

/// A ``StubSource`` that is read on the calling thread. Its script's failures count, delays of reads do not.
package struct SynchronousStub: WritableSource {
    private let stub: StubSource
    private let during: @Sendable () -> Void

    /// - Parameter during: is called in the middle of each read.
    package init(_ stub: StubSource, during: @escaping @Sendable () -> Void = {}) {
        self.stub = stub
        self.during = during
    }

    package var style: ReadStyle { .onThread }

    package func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try Task.checkCancellation()
        return try peek(key)
    }

    package func peek(_ key: Key) throws -> Entry? {
        try stub.script.performNow(.read(key)) {
            // Read before `during` runs, as in a slow read.
            let found = stub[key]
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
