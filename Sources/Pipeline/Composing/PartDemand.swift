/// How the parts of one fetch are asked for.
struct PartDemand: Sendable {
    let policy: FetchPolicy
    let priority: Priority
    /// When the whole must be there; nil without a limit.
    let end: Timestamp?
    /// Whether parts have no more time than that: a deadline of the fetch or a limit of the tier. Without one, their own limits end them.
    let isBound: Bool
    /// What bounds the loads of the fetch, those of composites within composites included.
    let bounds: FetchBounds
    /// How many composites it is within.
    let depth: Int
    /// Whether the last values of parts that have not changed will do: the whole is for observers.
    let recalls: Bool
    /// Whether the value is for a part that a whole can do without.
    var isOptional = false
    /// What the end of its time is, in words that follow "no answer within"; nil for a deadline.
    private(set) var limit: String?

    static let wholeTime = "the time that the whole had"

    /// - Parameters:
    ///   - concurrency: the most calls of origins at the same time, for a fetch of its own.
    ///   - recalls: whether the last values of parts that have not changed will do.
    ///   - outer: how the fetch is asked for that this is a part of; nil for a fetch of its own.
    init(
        policy: FetchPolicy, priority: Priority, end: Timestamp?, isBound: Bool, concurrency: Int = FetchBounds.usualCalls,
        recalling recalls: Bool = false, within outer: PartDemand? = nil
    ) {
        self.recalls = recalls
        (self.policy, self.priority, self.end, self.isBound) = (policy, priority, end, isBound)
        bounds = outer?.bounds ?? FetchBounds(concurrency: concurrency)
        isOptional = outer?.isOptional ?? false
        depth = outer.map { $0.depth + 1 } ?? 0
        limit = outer?.limit.map { _ in Self.wholeTime }
    }

    /// When the whole is made without what has not ended by itself at ``end``. That is before waiters for the whole give up, and for a composite
    /// within a composite before the outer one does without it.
    var lastEnd: Timestamp? { end.map { $0 + .milliseconds(max(1, CompositeSpec.mostInChain + 1 - depth)) } }

    /// The time that a part has from now on, nil for that of its own limits, and how it is asked for.
    ///
    /// - Parameters:
    ///   - endsWithWhole: whether it ends with the whole also where no deadline bounds that: it says then what it has so far.
    ///   - nearer: when it must be there, where that is before the end of the whole.
    func asking(
        _ own: Duration?, endsWithWhole: Bool, until nearer: Timestamp? = nil, at now: Timestamp
    ) -> (demand: PartDemand, timeout: Duration?) {
        var demand = self
        let left = (nearer ?? end).map { max(.zero, $0.duration(since: now)) }
        if let own, left.map({ own < $0 }) ?? true {
            demand.limit = Self.timeout(own)
            return (demand, own)
        }
        if isBound { return (demand, left) }
        guard endsWithWhole else { return (demand, nil) }
        demand.limit = demand.limit ?? Self.wholeTime
        return (demand, left)
    }

    /// The timeout of a part, in words.
    static func timeout(_ own: Duration) -> String { "its timeout of \(own.spelling)" }
}
