/// What a loader must load, and what is known when it begins.
package struct LoadRequest: Sendable {
    /// The key of the value.
    package let key: Key
    /// What the fetch may read and write.
    package var policy: FetchPolicy
    /// When the fetch must have ended; nil without a limit.
    package var deadline: Timestamp?
    /// How important the fetch is.
    var priority = Priority.normal
    /// Receives how much of an origin's answer has come; nil where the caller does not want to know.
    var progress: LoadProgress.Observer?
    /// The flight that loads this; nil outside of a pipeline, and before there is one.
    var flight: UInt64?
    /// The priority of an origin's load, for the origin.
    var load: LoadPriority?
    /// Where an origin reports how much of its answer has come.
    var report: (@Sendable (_ received: Int, _ total: Int?) -> Void)?
    /// The expired copies of the tiers before, the first tier's first.
    var expired: [ExpiredCopy] = []
    /// The tiers before that have no copy at all: there is nothing to remove.
    var lacking: [String] = []
    /// The tiers before that were asked and have no fresh copy. They are written without a comparison.
    var asked: [String] = []
    /// The tiers before that could not answer.
    var failed: [String] = []
    /// Since when this process had received the messages of others when the load began; nil where it does not subscribe.
    var confirmedSince: Timestamp?
    /// The leases under which this load runs, by the names of their sources.
    var leases: [String: Lease] = [:]
    /// What the first tier had at hand before the load began; nil when it must be asked.
    var looked: Looked?
    /// Whether it is of a feed, which asked for it or changed the value: other processes have feeds of their own.
    var isOfFeed = false
    /// The number of the load at its live key; nil when the key is not observed.
    var liveLoad: UInt64?
    /// The flight that was begun for this request; nil when it joins one.
    var leading: UInt64?
    /// When a source that is read has no more time.
    var readEnd: Timestamp?
    /// Whether the point is a newer copy, as of a refresh in the background, and not an answer.
    var renews = false
    /// Whether a whole is made for its observers, from the last values of the parts that have not changed.
    var recalls = false
    /// When the tier's time to answer began: with the first of several tries, or when the key began to wait for others of its call; nil
    /// where it begins with the one try.
    var tryingSince: Timestamp?
    /// Whether a failure is tried again at once, and not counted, where the request was surely not processed.
    var isRepeatedAtOnce = false
    /// Why origins are not asked although the policy allows it; nil when they are.
    var originsRestReason: String?
    /// Its place among keys that are fetched together; nil for a key alone.
    var member: Gathering.Member?
    /// How the whole asks for this, where it is a part of another; nil for a fetch of its own.
    var part: PartDemand?
    /// The requests that this one stands for; nil for one key.
    var batch: LoadBatch?
    /// The owner of tasks that outlive the fetch; nil outside of a pipeline.
    var background: BackgroundTasks?
    /// Proves that no removal came in between; nil outside of a pipeline.
    var permit: Generations.WritePermit?

    /// A request for `key`.
    package init(_ key: Key, policy: FetchPolicy = .default, deadline: Timestamp? = nil) {
        self.key = key
        self.policy = policy
        self.deadline = deadline
    }

    /// What makes two fetches of a pipeline the same.
    var flightID: Flights.ID { Flights.ID(key: key, policy: policy, renews: renews, recalls: recalls) }

    /// Whether what caches held before must no longer be served, there and in other processes: a value was put, or a refresh was asked for.
    var replaces: Bool { permit?.isReplacement ?? false || isRequestedRefresh }

    /// Whether a caller asked for a newer value than caches have.
    var isRequestedRefresh: Bool { policy == .refresh && !renews && !isOfFeed }

    /// The copy that a refresh in the background renews, or that waits for a fresh one of the caches below; nil for any other load.
    var renewed: ExpiredCopy? { renews ? expired.first : nil }

    /// The request for the tiers after the one that gave `reply`.
    func following(_ reply: LoadReply) -> LoadRequest {
        var request = self
        request.looked = nil
        request.expired += reply.expired
        request.lacking += reply.lacking
        request.asked += reply.attempts.filter { $0.outcome != .skipped }.map(\.source)
        request.failed += reply.attempts.filter(\.isFailure).map(\.source)
        return request
    }

    /// The request as it was before any tier was asked.
    var unasked: LoadRequest {
        var request = self
        (request.looked, request.leading) = (nil, nil)
        return request
    }

    /// The request for a load that begins now.
    var anew: LoadRequest {
        var request = unasked
        request.permit = nil
        request.confirmedSince = nil
        return request
    }
}

extension Attempt {
    /// Whether the source could not be asked or did not answer; a damaged copy is an answer.
    fileprivate var isFailure: Bool {
        switch outcome {
        case .error, .timeout, .skipped: true
        case .hit, .stale, .expired, .miss, .notFound, .invalid: false
        }
    }
}
