/// The rights of a load, and the moment by which it must end.
package struct Standing: Sendable {
    /// One try of a tier.
    struct Try: Sendable {
        /// When the tier's time to answer began: with the first of several tries, or when the key began to wait for others of its call; nil
        /// where it begins with the one try.
        var since: Timestamp?
        /// When a source that is read has no more time.
        var end: Timestamp?
        /// Whether a failure is tried again at once, and not counted, where the request was surely not processed.
        var isRepeatedAtOnce = false
    }

    /// Proves that no removal came in between; nil outside of a pipeline.
    package var permit: Generations.WritePermit?
    /// The leases under which this load runs, by the names of their sources.
    var leases: [String: Lease] = [:]
    /// The flight that loads this; nil outside of flights, and before there is one.
    var flight: Flights.Place?
    /// The number of the load at what follows the key; nil if nothing does.
    package var followed: UInt64?
    /// Why origins are not asked although the policy allows it; nil when they are.
    package var originsRestReason: String?
    /// The try that is made.
    var attempt = Try()

    /// The standing of a load that has the permit to write what it finds.
    init(_ permit: Generations.WritePermit? = nil) { self.permit = permit }

    /// The priority of an origin's load, for the origin; nil for any other.
    var originLoad: LoadPriority? { flight.flatMap { $0.pace == nil ? nil : $0.priority } }

    /// Whether what caches held before must no longer be served, there and in other processes: a value was put, or a refresh was asked for.
    func replaces(for call: Call) -> Bool { permit?.isReplacement ?? false || call.isRequestedRefresh }
}

/// The right to load a key, which one of several processes has at a time.
struct Lease: Sendable {
    let key: Key
    /// Names this load, among all of all processes.
    let holder: String
    /// When another process may take it, unless it is renewed before.
    let end: Timestamp
}
