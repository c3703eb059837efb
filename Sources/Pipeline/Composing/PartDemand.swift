import Synchronization

/// How the parts of one fetch are asked for.
struct PartDemand: Sendable {
    let policy: FetchPolicy
    let priority: Priority
    /// When the whole must be there; nil without a limit.
    let end: Timestamp?
    /// Whether parts have no more time than that: a deadline of the fetch or a limit of the tier. Without one, their own limits end them.
    let isBound: Bool
    private let loads = LoadCount()

    private final class LoadCount: Sendable {
        let value = Atomic(0)
    }

    /// The most loads of one fetch.
    static let mostLoads = 10_000

    init(policy: FetchPolicy, priority: Priority, end: Timestamp?, isBound: Bool) {
        (self.policy, self.priority, self.end, self.isBound) = (policy, priority, end, isBound)
    }

    /// The time that a part has, from now on.
    func timeout(_ own: Duration?, at now: Timestamp) -> Duration? {
        Duration.shorter(own, isBound ? end.map { max(.zero, $0.duration(since: now)) } : nil)
    }

    /// Counts further loads. Throws when they are too many.
    func count(_ loads: Int) throws(SourceError) {
        let count = self.loads.value.add(loads, ordering: .relaxed).newValue
        if count > Self.mostLoads {
            throw SourceError(invalid: "\(count) loads, and no more than \(Self.mostLoads) are allowed for one fetch")
        }
    }
}
