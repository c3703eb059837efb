/// When a failing source is left alone for a while.
///
/// Errors, timeouts and invalid payloads count. A ``SourceError`` of the kind ``SourceError/Kind-swift.enum/rejected`` proves that the source
/// works, as any answer does, and so does a `not_found`, whatever `on_not_found` makes of it.
public struct CircuitBreakerPolicy: Sendable, Hashable {
    /// So many failures in a row open the circuit; 0 never does.
    public let failures: Int
    /// How long the source is then skipped, before one request is let through, which is not tried again.
    public let openFor: Duration

    /// A breaker that opens for `openFor` after `failures` failures in a row.
    public init(failures: Int, openFor: Duration) {
        self.failures = failures
        self.openFor = openFor
    }
}

extension CircuitBreakerPolicy: FieldObject {
    /// `a circuit breaker`
    public static var noun: String { "a circuit breaker" }

    /// `failures` and `open_for`.
    public static let fields = FieldGroup(
        Field(
            "failures", default: 5, range: 0...,
            "How many failures in a row open the circuit; 0 keeps it closed. HTTP statuses from 400 to 499 do not count, except 408 and 429."
        ),
        Field("open_for", default: Duration.seconds(30), "How long the source is skipped before one request is let through.")
    ) { failures, openFor in
        CircuitBreakerPolicy(failures: failures, openFor: openFor)
    }
}
