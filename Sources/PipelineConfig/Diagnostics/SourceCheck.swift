/// What looking for one source of a configuration came to.
public struct SourceCheck: Sendable {
    /// Whether it can be used.
    ///
    /// New cases may come: switch with a `default`.
    public enum Outcome: Sendable, Hashable {
        /// It answered, or it is at hand.
        case reachable
        /// It answered and can be used, but something that is not essential fails, for this reason.
        case limited(String)
        /// Nothing could be tried, for this reason.
        case untried(String)
        /// It could not be reached, for this reason.
        case cannotConnect(String)
        /// It was reached and refused, for this reason.
        case refused(String)
    }

    /// The name of the source.
    public let source: String
    /// Whether it can be used; reasons are without secrets.
    public let outcome: Outcome
    /// How long it took to find out.
    public let duration: Duration
    /// The problem at its place in the file; nil when there is none.
    public let diagnostic: Diagnostic?
}
