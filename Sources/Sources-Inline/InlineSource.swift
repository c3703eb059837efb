public import Pipeline

/// An origin whose value stands in the configuration itself: the same for every key, and always there.
public struct InlineSource: Source {
    private let payload: [UInt8]
    private let contentType: String
    private let clock: PipelineClock

    /// An origin of `payload`.
    ///
    /// - Parameter contentType: the media type that its entries have.
    public init(_ payload: [UInt8], contentType: String, clock: PipelineClock = .system) {
        self.payload = payload
        self.contentType = contentType
        self.clock = clock
    }

    /// The payload, created now and fresh without a limit.
    public func read(_ key: Key) async throws -> Entry? {
        Entry(payload, created: clock.now, contentType: contentType)
    }
}

extension InlineSource: CheckableSource {
    /// There is nothing to reach.
    public func check() async throws -> Reachability { .reachable }
}
