public import Pipeline

extension CircuitBreakerPolicy: FieldObject {
    /// `a circuit breaker`
    public static var noun: String { "a circuit breaker" }

    /// `failures` and `open_for`.
    public static let fields = FieldGroup(
        Field(
            "failures", default: 5, range: 0...,
            "So many failures in a row open the circuit; 0 never does. A status from 400 to 499 is none, except 408 and 429."),
        Field("open_for", default: Duration.seconds(30), "How long the source is skipped before one request is let through.")
    ) { failures, openFor in
        CircuitBreakerPolicy(failures: failures, openFor: openFor)
    }
}
