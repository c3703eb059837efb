/// What each cache did for a removal.
public struct RemovalReport: Sendable {
    /// The caches in the order in which they forgot: slow ones before fast ones. Each with the reason why it could not forget, or could not have
    /// other processes forget; nil when all have.
    public let lines: [(source: String, failure: String?)]

    package typealias Line = (source: String, failure: String?)

    /// Whether every cache has removed it and the message to other processes, where there is one, is published.
    public var isComplete: Bool { lines.allSatisfy { $0.failure == nil } }
}
