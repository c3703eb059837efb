import Pipeline

/// The feeds of one key.
struct KeyFeeds: Sendable {
    /// The feeds, in the order of the file.
    var all: [KeyFeed] = []
    /// The moment before which stored copies are expired, since the stream was interrupted; nil once the value is loaded again.
    var unconfirmed: Timestamp?
    /// Finished when every feed has begun.
    private var untilBegun: [Race<Void>] = []

    /// The states that observers see.
    var statuses: [FeedStatus] { all.map(\.status) }

    /// Indicates whether a feed keeps the value up to date, or is about to.
    var isFollowing: Bool { all.contains { $0.status.state == .live || $0.status.state == .syncing } }

    /// Indicates whether no feed waits for a load.
    var isSynced: Bool { all.allSatisfy { $0.awaited == nil } }

    /// The word of the feeds about the copies of the key.
    var confirmation: CopyConfirmation {
        let confirming = all.filter { $0.confirms && $0.status.state == .live }
        return CopyConfirmation(unconfirmedBefore: unconfirmed, confirmedAt: confirming.compactMap(\.feed?.lastSignOfLife).max())
    }

    /// Indicates whether the feed at `index` is still this one: another configuration may have brought others.
    func holds(_ feed: Feed, at index: Int) -> Bool { all.indices.contains(index) && all[index].feed === feed }

    /// Keeps a feed for each of `specs`; those that are the same go on as they are. Returns those that are no longer needed.
    mutating func replace(by specs: [FeedSpec]) -> [KeyFeed] {
        var old = all
        all = specs.map { spec in
            guard let same = old.firstIndex(where: { $0.feed != nil && $0.spec.isSame(as: spec) }) else { return KeyFeed(spec) }
            return old.remove(at: same)
        }
        return old
    }

    /// Forgets the feeds, and returns them.
    mutating func takeAll() -> [KeyFeed] {
        defer { all = [] }
        return all
    }

    /// A race that is finished when every feed has begun, now or later.
    mutating func awaitBegin() -> Race<Void> {
        let race = Race<Void>()
        untilBegun.append(race)
        for begun in takeBegun() { begun.finish(.success(())) }
        return race
    }

    /// The races to finish, if every feed has begun.
    mutating func takeBegun() -> [Race<Void>] {
        guard !untilBegun.isEmpty, all.allSatisfy(\.hasBegun) else { return [] }
        defer { untilBegun = [] }
        return untilBegun
    }

    /// Notes the phase of the connection; false if it is known already.
    mutating func enter(_ phase: UInt64, of feed: Feed, at index: Int) -> Bool {
        guard holds(feed, at: index), phase > all[index].phase else { return false }
        all[index].phase = phase
        return true
    }

    /// Lets copies be as fresh as their times say, unless a feed waits for a load.
    mutating func trustCopiesIfSynced() {
        if isSynced { unconfirmed = nil }
    }

    /// Makes the feeds live that waited for a load that began after `number`, if the value is one that they change.
    ///
    /// - Parameter refusal: the reason why the list is not merged; nil if it is.
    /// - Returns: the feeds that have another state now, with what there is to report.
    mutating func endSyncs(by number: UInt64, refusal: String?) -> [(feed: KeyFeed, events: [FeedEvent])] {
        var changed: [(feed: KeyFeed, events: [FeedEvent])] = []
        for index in all.indices where all[index].awaited.map({ $0 < number }) ?? false {
            let events = all[index].endSync()
            changed.append((all[index], [.synced] + events))
        }
        return changed + turn(by: refusal)
    }

    /// Turns feeds that merge off while the list is not merged, such as one that is too long, and on again when it is.
    ///
    /// - Returns: the feeds that have another state now, with what there is to report.
    mutating func turn(by refusal: String?) -> [(feed: KeyFeed, events: [FeedEvent])] {
        all.indices.compactMap { index in
            guard all[index].spec.merging != nil else { return nil }
            switch (all[index].status.state, refusal) {
            case (.live, let reason?):
                let events = all[index].enter(.off, reason: reason)
                all[index].hasNoList = true
                return (all[index], events)
            case (.off, nil) where all[index].hasNoList:
                let events = all[index].enter(.live)
                return (all[index], events)
            default: return nil
            }
        }
    }
}

/// A feed of one key.
struct KeyFeed: Sendable {
    /// The feed; nil where it has none, as for a channel that cannot be named.
    var feed: Feed?
    /// What observers see of it.
    var status: FeedStatus
    /// The phase of the connection that was reported last.
    var phase: UInt64 = 0
    /// While it syncs: a load with a later number must land.
    var awaited: UInt64?
    /// Whether a load that it asked for has not landed, also where the connection was lost meanwhile.
    private(set) var owesLoad = false
    /// Whether the value was once that of the server.
    private(set) var hasBeenLive = false
    /// Whether it is off because its changes cannot be merged into the value.
    fileprivate(set) var hasNoList = false
    let spec: FeedSpec
    /// Whether, while it is live, copies count as confirmed at the last sign of life.
    var confirms: Bool { spec.confirms }
    /// Indicates whether the stream has begun and the value was loaded since, or has failed to.
    var hasBegun: Bool {
        switch status.state {
        case .connecting, .syncing: false
        case .off: feed == nil || status.reason != nil
        case .live, .down, .refused, .ended: true
        }
    }

    init(_ spec: FeedSpec) {
        status = FeedStatus(spec.name, .off)
        self.spec = spec
    }

    /// Enters a state; returns the event to report.
    mutating func enter(_ state: FeedStatus.State, reason: String? = nil, pause: Duration? = nil) -> [FeedEvent] {
        let before = status.state
        status = FeedStatus(status.source, state, reason: reason, pause: pause)
        hasNoList = false
        return state == before ? [] : [.state(status, before: before)]
    }

    /// Waits until a load later than `load` has landed; returns the event to report.
    mutating func beginSync(after load: UInt64) -> [FeedEvent] {
        (awaited, owesLoad) = (load, true)
        return enter(.syncing)
    }

    /// Notes that the load that it waited for has landed; returns the event to report.
    fileprivate mutating func endSync() -> [FeedEvent] {
        (awaited, owesLoad, hasBeenLive) = (nil, false, true)
        return enter(.live)
    }
}

/// The loads, one after the other, until no feed waits for one.
struct SyncPass: Sendable {
    private var isRunning = false
    /// Ends the pause before the next load; nil while none is arranged.
    private var wake: Race<Void>?
    /// The number of requests.
    private(set) var requests = 0

    /// Notes a request. Returns whether the pass must be started, and else what ends its pause.
    mutating func ask() -> (mustStart: Bool, wake: Race<Void>?) {
        requests += 1
        defer { (isRunning, wake) = (true, nil) }
        return (!isRunning, wake)
    }

    /// Notes that the pass pauses, which `wake` ends early.
    mutating func pause(until wake: Race<Void>) { self.wake = wake }

    /// Notes that no feed waits any more.
    mutating func end() { (isRunning, wake) = (false, nil) }
}
