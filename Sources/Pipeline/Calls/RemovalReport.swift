/// The report of each cache on a removal.
public struct RemovalReport: Sendable {
    /// The caches in the order in which they forgot: slow ones before fast ones.
    public let lines: [Line]

    /// The report of one cache.
    public struct Line: Sendable, Hashable {
        /// The cache.
        public let source: String
        /// The reason why it could not forget, or could not have other processes forget; nil if all have.
        public let failure: String?

        package init(source: String, failure: String?) { (self.source, self.failure) = (source, failure) }
    }

    /// Indicates whether every cache has removed it and the message to other processes, if there is one, is published.
    public var isComplete: Bool { lines.allSatisfy { $0.failure == nil } }
}
