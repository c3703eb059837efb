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
        case .onThread, .inTurn: StubReader(stub, self, during: during)
        }
    }
}

/// A ``StubSource`` that is read in one of these ways. On the calling thread, its script's failures count, delays of reads do not.
private struct StubReader: WritableSource {
    private let stub: StubSource
    private let reading: StubReading
    private let during: @Sendable () -> Void

    init(_ stub: StubSource, _ reading: StubReading, during: @escaping @Sendable () -> Void) {
        (self.stub, self.reading, self.during) = (stub, reading, during)
    }

    var style: ReadStyle {
        switch reading {
        case .inTask: .suspending
        case .onThread: .onThread
        case .inTurn: .punctual
        }
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        if reading == .onThread {
            try Task.checkCancellation()
            return try peek(key)
        }
        let end = context.deadline ?? .distantFuture
        return try await stub.script.clock.race(until: end, late: { throw PastLimit() }) { [stub, during] in
            let found = try await stub.read(key, context)
            during()
            return found
        }
    }

    func peek(_ key: Key) throws -> Entry? {
        try stub.script.performNow(.read(key)) {
            // Read before `during` runs, as in a slow read.
            let found = stub[key]
            during()
            return found
        }
    }

    func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }

    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try await stub.renew(held, as: entry, for: key)
    }

    func remove(_ key: Key) async throws { try await stub.remove(key) }

    func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }
}
