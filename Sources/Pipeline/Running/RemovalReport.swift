/// What each cache did when it was told to forget.
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

    /// Whether every cache has forgotten, also of the other processes that were to be told.
    public var isComplete: Bool { lines.allSatisfy { $0.failure == nil } }
}
