/// What a loader is asked for.
public struct LoadRequest: Sendable {
    /// The key of the value.
    public let key: Key
    /// What the fetch may read and write.
    public var policy: FetchPolicy
    /// When the fetch must have ended; nil without a limit.
    public var deadline: Timestamp?
    /// The copies that the tiers before have and that are expired, the first tier's first.
    var expired: [ExpiredCopy] = []
    /// The tiers before that have no copy at all: there is nothing to remove.
    var lacking: [String] = []
    /// The tiers before that were asked and have no fresh copy: nothing is to be compared before they are written.
    var asked: [String] = []
    /// The tiers before that could not answer.
    var failed: [String] = []
    /// From when on this process had heard the others when the load began; nil where it does not listen.
    var confirmedSince: Timestamp?
    /// The leases under which this load runs, by the names of their sources.
    var leases: [String: Lease] = [:]
    /// What the first tiers replied when they were asked before the load began, in their order.
    var probed: [LoadReply] = []
    /// The tier that was asked before the load began and left without an answer, and since when: its time does not begin again.
    var awaited: (name: String, since: Timestamp)?
    /// Whether the point is a newer copy, as of a refresh in the background, and not an answer.
    var renews = false
    /// Whether a failed read is not tried again: it is the one that a half-open circuit lets through.
    var isTriedOnce = false
    /// Why origins are not asked although the policy would; nil when they are.
    var originsRestReason: String?
    /// Who owns what outlives the fetch; nil outside of a pipeline.
    var background: BackgroundTasks?
    /// Proves that no removal came in between; nil outside of a pipeline.
    var permit: Generations.WritePermit?

    /// A request for `key`.
    public init(_ key: Key, policy: FetchPolicy = .default, deadline: Timestamp? = nil) {
        self.key = key
        self.policy = policy
        self.deadline = deadline
    }
}
