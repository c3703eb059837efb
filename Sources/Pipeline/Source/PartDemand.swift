/// How the parts of one fetch are asked for.
package struct PartDemand: Sendable {
    package let policy: FetchPolicy
    package let priority: Priority
    /// When the whole must be there; nil without a limit.
    package let end: Timestamp?
    /// Whether parts have no more time than that: a deadline of the fetch or a limit of the tier. Without one, their own limits end them.
    package let isBound: Bool
    /// What bounds the loads of the fetch, those of composites within composites included.
    package let bounds: FetchBounds
    /// How many composites it is within.
    let depth: Int
    /// Whether the last values of parts that have not changed will do: the whole is for observers.
    package let recalls: Bool
    /// Whether the value is for a part that a whole can do without.
    package var isOptional = false
    /// What the end of its time is, in words that follow "no answer within"; nil for a deadline.
    package private(set) var limit: String?

    /// The most composites in a chain, each a part of the next.
    package static let mostInChain = 16

    package static let outerTime = "the time that the whole had"

    /// - Parameters:
    ///   - concurrency: the most calls of origins at the same time, for a fetch of its own.
    ///   - recalls: whether the last values of parts that have not changed will do.
    ///   - outer: how the fetch is asked for that this is a part of; nil for a fetch of its own.
    package init(
        policy: FetchPolicy, priority: Priority, end: Timestamp?, isBound: Bool, concurrency: Int = FetchBounds.usualCalls,
        recalling recalls: Bool = false, within outer: PartDemand? = nil
    ) {
        self.recalls = recalls
        (self.policy, self.priority, self.end, self.isBound) = (policy, priority, end, isBound)
        bounds = outer?.bounds ?? FetchBounds(concurrency: concurrency)
        isOptional = outer?.isOptional ?? false
        depth = outer.map { $0.depth + 1 } ?? 0
        limit = outer?.limit.map { _ in Self.outerTime }
    }

    /// When the whole is made without what has not ended by itself at ``end``. That is before waiters for the whole give up, and for a composite
    /// within a composite before the outer one does without it.
    package var lastEnd: Timestamp? { end.map { $0 + .milliseconds(max(1, Self.mostInChain + 1 - depth)) } }

    /// The time that a part has from now on, nil for that of its own limits, and how it is asked for.
    ///
    /// - Parameters:
    ///   - endsWithOuter: whether it ends with the whole also where no deadline bounds that: it says then what it has so far.
    ///   - nearer: when it must be there, where that is before the end of the whole.
    package func asking(
        _ own: Duration?, endsWithOuter: Bool, until nearer: Timestamp? = nil, at now: Timestamp
    ) -> (demand: PartDemand, timeout: Duration?) {
        var demand = self
        let left = (nearer ?? end).map { max(.zero, $0.duration(since: now)) }
        if let own, left.map({ own < $0 }) ?? true {
            demand.limit = Self.timeout(own)
            return (demand, own)
        }
        if isBound { return (demand, left) }
        guard endsWithOuter else { return (demand, nil) }
        demand.limit = demand.limit ?? Self.outerTime
        return (demand, left)
    }

    /// The timeout of a part, in words.
    package static func timeout(_ own: Duration) -> String { "its timeout of \(own.spelling)" }
}
