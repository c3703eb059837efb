/// How the parts of one fetch are asked for.
struct PartDemand: Sendable {
    let policy: FetchPolicy
    let priority: Priority
    /// When the whole must be there; nil without a limit.
    let end: Timestamp?
    /// Whether parts have no more time than that: a deadline of the fetch or a limit of the tier. Without one, their own limits end them.
    let isBound: Bool
    /// The loads of the fetch, those of composites within composites included.
    let loads: LoadCount

    /// - Parameter loads: those of the fetch that this is for a part of; nil for a fetch of its own.
    init(policy: FetchPolicy, priority: Priority, end: Timestamp?, isBound: Bool, counting loads: LoadCount? = nil) {
        (self.policy, self.priority, self.end, self.isBound) = (policy, priority, end, isBound)
        self.loads = loads ?? LoadCount()
    }

    /// The time that a part has, from now on.
    func timeout(_ own: Duration?, at now: Timestamp) -> Duration? {
        Duration.shorter(own, isBound ? end.map { max(.zero, $0.duration(since: now)) } : nil)
    }
}
