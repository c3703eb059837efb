/// What each cache did for a removal.
public struct RemovalReport: Sendable {
    /// One cache.
    public struct Line: Sendable {
        /// The name of the source.
        public let source: String
        /// Why it could not forget, or could not have other processes forget; nil when all have.
        public let failure: String?
    }

    /// The caches in the order in which they forgot: slow ones before fast ones.
    public let lines: [Line]

    /// Whether every cache has removed it and the message to other processes, where there is one, is published.
    public var isComplete: Bool { lines.allSatisfy { $0.failure == nil } }
}
