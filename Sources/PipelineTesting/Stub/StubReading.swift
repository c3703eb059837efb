package import Pipeline

/// A way in which a test reads a cache. A fetch must have the same result with each way.
package enum StubReading: Sendable, CaseIterable {
    /// A read in the task of the load, or in one of the read.
    case inTask
    /// A read on the calling thread, as files are read.
    case onThread
    /// A read in the task of the load, within a time limit that the source keeps, as Redis is read.
    case inTurn

    /// A source that is read so, and holds what `stub` holds.
    ///
    /// - Parameter during: is called in the middle of each read that is not ``inTask``.
    package func source(_ stub: StubSource, during: @escaping @Sendable () -> Void = {}) -> any WritableSource {
        switch self {
        case .inTask: stub
        case .onThread: SynchronousStub(stub, during: during)
        case .inTurn: PunctualStub(stub, during: during)
        }
    }
}

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
