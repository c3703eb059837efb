/// The pipelines were shut down before or during the call, which was not carried out.
public struct ShutDownError: Error, Hashable, CustomStringConvertible {
    /// The error; it has no details.
    package init() {}

    /// The message: `the pipelines were shut down`.
    public var description: String { "the pipelines were shut down" }
}
