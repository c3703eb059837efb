public import Pipeline

/// A request that asks its origin's controller for a permit.
public struct RequestDemand: Sendable {
    /// The priority of the load that asks, which may change while the request waits; nil if it is `Priority.normal` and stays so.
    public var load: LoadPriority?
    /// The moment from which on the answer is no longer needed; nil without a limit. A request that would be answered later is refused, as
    /// far as that can be foreseen; one whose turn does not come is refused just before.
    public var deadline: Timestamp?
    /// The rule for a second request; nil for a request that may not be repeated, or is not hedged.
    public var hedge: HedgePolicy?
    /// The sender of the request: it rests when the request is refused.
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

    /// The moment until which a turn is waited for: so early that the request is refused before its deadline ends it, and it is seen that
    /// it was never sent.
    static func lastTurn(before deadline: Timestamp, since begin: Timestamp) -> Timestamp {
        let allowed = deadline.duration(since: begin)
        return deadline - min(.milliseconds(10), allowed / 10)
    }
}

/// The sender of a request, as far as the origin can tell: one whose requests are refused rests, and no other.
public struct RequestAsker: Hashable, Sendable {
    /// The name of the source.
    public let source: String
    /// A hash of what the source and its credentials are: the values themselves are not kept.
    public let credentials: UInt64
    /// Indicates whether the value is for a part that its composite can do without. A refusal of such a request lets no other request rest.
    public let isOptional: Bool

    /// A source that has these credentials.
    public init(source: String = "", credentials: UInt64 = 0, isOptional: Bool = false) {
        self.source = source
        self.credentials = credentials
        self.isOptional = isOptional
    }

    /// The hash stands for the name, too.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(credentials)
        hasher.combine(isOptional)
    }

    /// This sender, of a request for a value that is needed.
    var required: RequestAsker { RequestAsker(source: source, credentials: credentials) }
    /// This sender, of a request for a value that is not needed.
    var optional: RequestAsker { RequestAsker(source: source, credentials: credentials, isOptional: true) }
}
