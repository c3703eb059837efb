public import Pipeline

/// A request that asks its origin's controller for a permit.
public struct RequestDemand: Sendable {
    /// The priority of the load that asks, which may change while the request waits; nil where it is ``Priority/normal`` and stays so.
    public var load: LoadPriority?
    /// When the answer is no longer needed; nil without a limit. A request that would be answered later is refused, as far as that can be
    /// foreseen; one whose turn does not come is refused just before.
    public var deadline: Timestamp?
    /// When a second request may follow; nil for a request that may not be repeated, or is not hedged.
    public var hedge: HedgePolicy?
    /// Who sends it: that one rests when it is refused.
    public var asker: RequestAsker

    /// A request for `load`, of use until `deadline`.
    public init(
        load: LoadPriority? = nil, deadline: Timestamp? = nil, hedge: HedgePolicy? = nil, asker: RequestAsker = RequestAsker()
    ) {
        self.load = load
        self.deadline = deadline
        self.hedge = hedge
        self.asker = asker
    }

    /// Until when a turn is waited for: so early that the request is refused before its deadline ends it, and it is seen that it was never sent.
    static func lastTurn(before deadline: Timestamp, since begin: Timestamp) -> Timestamp {
        let allowed = deadline.duration(since: begin)
        return deadline - min(.milliseconds(10), allowed / 10)
    }
}
