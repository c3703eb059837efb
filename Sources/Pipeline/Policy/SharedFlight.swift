/// How processes share the load of a key that none of them has: the value of `shared_flight`.
public struct SharedFlight: Sendable, Hashable {
    /// How long the lease of the process that loads lasts. The process renews it at each third of this time, however long its load takes;
    /// when it dies, another process loads after this time at the latest. Give all processes the same.
    public let lease: Duration

    /// Shares loads, with a lease of this length.
    public init(lease: Duration = .seconds(5)) {
        self.lease = lease
    }
}

extension SharedFlight: FieldObject {
    /// `a shared flight`
    public static var noun: String { "a shared flight" }

    /// `lease`.
    public static let fields = FieldGroup(
        Field(
            "lease", default: Duration.seconds(5), range: Duration.milliseconds(1)...,
            "How long after the loading process has died another process takes over. A running process renews its lease, however long "
                + "the load takes. Use the same value in all processes.")
    ) { lease in
        SharedFlight(lease: lease)
    }
}
