package import Pipeline

/// How a test reads a cache. A fetch must have the same result with each way.
package enum StubReading: Sendable, CaseIterable {
    /// In the task of the load, or one of the read.
    case inTask
    /// On the calling thread, as files are.
    case onThread
    /// In the task of the load, within a time limit that the source keeps, as Redis is.
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
