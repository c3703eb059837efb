/// When a failing source is skipped for a while.
///
/// Errors, timeouts and invalid payloads count, each try of a read that is tried again by itself. A ``SourceError`` of the kind ``SourceError/Kind-swift.enum/rejected`` proves that the source
/// works, as any answer does, and so does a `not_found`, whatever `on_not_found` makes of it.
public struct CircuitBreakerPolicy: Sendable, Hashable {
    /// The number of failures in a row that open the circuit; 0 never opens it.
    package let failures: Int
    /// How long the source is then skipped, before one request is let through, which is not tried again.
    package let openFor: Duration

    /// A breaker that opens for `openFor` after `failures` failures in a row.
    ///
    /// - Parameters:
    ///   - failures: the number of failures in a row that open the circuit; 0 never opens it.
    ///   - openFor: how long the source is then skipped, before one request is let through, which is not tried again.
    public init(failures: Int, openFor: Duration) {
        self.failures = failures
        self.openFor = openFor
    }
}
