/// How processes share the load of a key that none of them has: the value of `shared_flight`.
public struct SharedFlight: Sendable, Hashable {
    /// How long a process may load before another takes over. The others wait at most twice as long in all: for the one that loads, and,
    /// when that dies, for the one that takes over.
    public let lease: Duration

    /// Shares loads, with a lease of this length.
    public init(lease: Duration = .seconds(30)) {
        self.lease = lease
    }
}

extension SharedFlight: FieldObject {
    /// `a shared flight`
    public static var noun: String { "a shared flight" }

    /// `lease`.
    public static let fields = FieldGroup(
        Field(
            "lease", default: Duration.seconds(30), range: Duration.milliseconds(1)...,
            "How long the others wait for the process that loads, and once more for the one that takes over when that dies; then they load "
                + "themselves.")
    ) { lease in
        SharedFlight(lease: lease)
    }
}
