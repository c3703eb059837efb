/// How processes share the load of a key that none of them has: the value of `shared_flight`.
public struct SharedFlight: Sendable, Hashable {
    /// How long the lease of the process that loads lasts. The process renews it at each third of this time, however long its load takes;
    /// when it dies, another process loads after this time at the latest. Give all processes the same.
    package let lease: Duration

    /// Shares loads, with a lease of this length.
    ///
    /// - Parameter lease: how long the lease of the process that loads lasts. The process renews it at each third of this time, however long
    ///   its load takes; when it dies, another process loads after this time at the latest. Give all processes the same.
    public init(lease: Duration = .seconds(5)) {
        self.lease = lease
    }
}
