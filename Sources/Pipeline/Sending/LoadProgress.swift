/// How much of an answer has come.
public struct LoadProgress: Sendable, Hashable {
    /// The source that answers.
    public let source: String
    /// The bytes that have come.
    public let received: Int
    /// The bytes of the whole answer; nil where the source does not know.
    public let total: Int?

    /// Receives it, on the thread of the source. It delays the load, so it must not wait.
    @usableFromInline package typealias Observer = @Sendable (LoadProgress) -> Void
}
