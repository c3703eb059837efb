/// The call of a fetch: what it asks for. Every tier gets the same call.
package struct Call: Sendable {
    /// What a load is for.
    enum Purpose: Sendable {
        /// A caller wants the value.
        case fetch
        /// A change asked for the value, or made it: other processes hear of it themselves.
        case change
        /// A newer copy is wanted, and no answer, as of a refresh in the background.
        case renewal
        /// A composite is made for its observers, from the last values of the parts that have not changed.
        case recall
    }

    /// What makes two loads the same.
    struct ID: Hashable, Sendable {
        let key: Key
        let policy: FetchPolicy
        var purpose = Purpose.fetch

        /// A feed and a caller that ask for a newer value get the same one.
        static func == (one: ID, other: ID) -> Bool {
            one.key == other.key && one.policy == other.policy && one.purpose.load == other.purpose.load
        }

        /// The few loads of one key may share a hash.
        func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    /// What makes it the same as another.
    let id: ID
    /// When the fetch must have ended; nil without a limit.
    let deadline: Timestamp?
    /// How important the fetch is.
    let priority: Priority
    /// Its place among keys that are fetched together; nil for a key alone.
    let member: Gathering.Member?
    /// How the whole asks for this, where it is a part of another; nil for a fetch of its own.
    let part: PartDemand?

    /// A call for `key`.
    package init(_ key: Key, policy: FetchPolicy = .default, deadline: Timestamp? = nil) {
        self.init(ID(key: key, policy: policy), deadline: deadline)
    }

    init(
        _ id: ID, deadline: Timestamp?, priority: Priority = .normal, as member: Gathering.Member? = nil,
        for part: PartDemand? = nil
    ) {
        (self.id, self.deadline, self.priority, self.member, self.part) = (id, deadline, priority, member, part)
    }

    /// The key of the value.
    package var key: Key { id.key }

    /// The policy of the fetch: what it may read and write.
    package var policy: FetchPolicy { id.policy }

    /// Whether the point is a newer copy, and no answer.
    package var renews: Bool { id.purpose == .renewal }

    /// This call with another policy, or for something else.
    func asking(with policy: FetchPolicy? = nil, for purpose: Purpose? = nil) -> Call {
        let id = ID(key: key, policy: policy ?? self.policy, purpose: purpose ?? id.purpose)
        return Call(id, deadline: deadline, priority: priority, as: member, for: part)
    }

    /// The copy on `trail` that a refresh in the background renews, or that waits for a fresh one of the caches below; nil for any other call.
    func renewed(on trail: Trail) -> ExpiredCopy? { renews ? trail.expired.first : nil }

    /// Whether a caller asked for a newer value than caches have.
    var isRequestedRefresh: Bool { policy == .refresh && id.purpose != .renewal && id.purpose != .change }

    /// How a source that asks others asks them: as it was asked. A refresh in the background asks for no more than their own caches have.
    var partPolicy: FetchPolicy { renews ? .default : policy }
}

extension Call.Purpose {
    /// What a load is for, as far as that makes it another one.
    fileprivate var load: Self { self == .change ? .fetch : self }
}
