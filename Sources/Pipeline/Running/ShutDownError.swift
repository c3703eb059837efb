/// What was asked of pipelines that were shut down, or was under way when they were, is not done.
public struct ShutDownError: Error, Hashable, CustomStringConvertible {
    /// The one there is.
    public init() {}

    /// Says so.
    public var description: String { "the pipelines were shut down" }
}
