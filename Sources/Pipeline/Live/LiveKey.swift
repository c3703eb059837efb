import Synchronization

/// One key that is observed or fed: its value, its status, its feeds, and the observers that see value and status.
@usableFromInline
final class LiveKey: Sendable {
    struct State {
        var content: LiveContent
        /// Where the value was read, or the changes were merged into it; nil without a value, and for one that was put.
        var source: String?
        var error: LoadError?
        var isStale = false
        /// Whether the caches were asked for a copy to merge changes into.
        var hasSoughtBase = false
        /// The loads that run, by number.
        var loads: Set<UInt64> = []
        var lastLoad: UInt64 = 0
        /// Whether a new observer fetches the value, and no load has ended since.
        var isFetching = false
        /// What each observer has seen; nil before its first snapshot.
        var observers: [UInt64: SharedSnapshot?] = [:]
        var lastObserver: UInt64 = 0
        /// The observers that wait until something differs from what they have seen, which is the same for all of them.
        var waiting: [UInt64: Race<Void>] = [:]
        /// What changed between two revisions, for the observers that stood at the first when they took the second.
        var compared: (from: UInt64, to: UInt64, changes: ListChanges)?
        /// What an observer saw last, and whether nothing has changed since.
        var shown: SharedSnapshot?
        var isShownCurrent = false
        var feeds: [KeyFeed] = []
        var pace = RefreshPace()
        /// How many loads have brought another value.
        var news = 0
        /// Whether a task loads the value until no feed waits for it, and what wakes it from a pause.
        var isSyncing = false
        var syncWake: Race<Void>?
        /// Counts the requests for such a load.
        var syncs = 0
        /// When copies of the value stop being fresh, and the alarm for it.
        var freshUntil: Timestamp?
        var expiry: Alarm?
        /// When the list that changes are merged into was stored first: its copies get no younger.
        var landed: Timestamp?
        /// The revision that the caches have been handed.
        var written: UInt64 = 0
        /// Whether a task writes changes to the caches.
        var isWriting = false
        /// Copies that were stored before are expired: the stream was interrupted, and the value is not loaded again yet.
        var unconfirmed: Timestamp?
        var isOver = false
        /// What there is to say of the value, or of the load that failed, where it is made from others.
        var composition: Composition?
        /// What keeps its parts, where it is made from others.
        var parts: [Key: LiveHold] = [:]
        var partFeeds = PartFeeds()
        /// The wholes whose observers see what its feeds do, by number, each nil when it is gone; and the states that they were told of last.
        var wholes: [UInt64: @Sendable () -> LiveKey?] = [:]
        var lastWhole: UInt64 = 0
        var told: [FeedStatus] = []
        /// What fetches it again for its observers because a part has changed, by its number; and whether one has changed since that began.
        var fetchingAgain: UInt64?
        var mustFetchAgain = false
        /// What is done for it in the background, by number.
        var errands: [UInt64: Errand] = [:]
        var lastErrand: UInt64 = 0
    }

    /// Work in the background.
    struct Errand {
        let task: Task<Void, Never>
        /// Whether nobody needs it when the last observer has left.
        let isForObservers: Bool
    }

    let key: Key
    let lives: LiveKeys
    /// Tells this life of the key from others of the pipeline: revisions of another one are others.
    let life: UInt64
    /// Copies of the value are written in it, one after the other.
    let lane = LiveLane()
    let state: Mutex<State>
    /// Whether the caches do not hold the value yet: ``State/isDirty``, for fetches.
    let isDirty = Atomic(false)

    init(_ key: Key, in lives: LiveKeys, life: UInt64, fedBy specs: [FeedSpec], limit: Size = Size(bytes: 64 << 20)) {
        self.key = key
        self.lives = lives
        self.life = life
        state = Mutex(State(content: LiveContent(fedBy: specs, limit: limit)))
    }

    deinit {
        lives.wholes.forgetParts(of: ObjectIdentifier(self))
    }

    var clock: PipelineClock { lives.clock }

    /// Whether it has observers.
    var isObserved: Bool { state.withLock { !$0.observers.isEmpty && !$0.isOver } }

    /// Changes the state, and wakes the observers that have something new to see.
    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (result, waiters, wholes) = state.withLock { state in
            let result = body(&state)
            state.isShownCurrent = false
            isDirty.store(state.isDirty, ordering: .releasing)
            return (result, state.takeWaiters(), state.wholesToTell())
        }
        for waiter in waiters { waiter.finish(.success(())) }
        if !wholes.isEmpty { tell(wholes) }
        return result
    }

    /// A feed of a part has another state, or the parts are others. Returns the wholes that it is itself a part of.
    func noteChangeOfParts() -> [LiveKey] {
        let (waiters, wholes) = state.withLock { state in
            state.partFeeds.change()
            state.isShownCurrent = false
            return (state.takeWaiters(), state.wholes.values.compactMap { $0() })
        }
        for waiter in waiters { waiter.finish(.success(())) }
        return wholes
    }

    /// Does `work` in the background until the key ends, or the pipelines are shut down.
    ///
    /// - Parameter isForObservers: whether it ends also when the last observer leaves, where there is one now.
    func run(forObservers isForObservers: Bool, with pipeline: DataPipeline, _ work: @escaping @Sendable () async -> Void) {
        let task = state.withLock { state -> Task<Void, Never>? in
            if state.isOver { return nil }
            state.lastErrand += 1
            let number = state.lastErrand
            // Ends with its work; cancelled by `leave(_:)` or `end()`.
            let task = Task {
                await work()
                _ = self.state.withLock { $0.errands.removeValue(forKey: number) }
            }
            state.errands[number] = Errand(task: task, isForObservers: isForObservers && !state.observers.isEmpty)
            return task
        }
        if let task { pipeline.background.adopt(task) }
    }

    /// Ends every observation and every feed.
    func end() {
        let (feeds, expiry, parts, errands) = change { state in
            state.isOver = true
            defer { (state.feeds, state.expiry, state.parts) = ([], nil, [:]) }
            return (state.feeds, state.expiry, state.parts, state.takeErrands { _ in true })
        }
        for task in errands { task.cancel() }
        // Released here, and not under the lock.
        withExtendedLifetime(parts) {}
        if let expiry { clock.alarms.cancel(expiry) }
        leave(feeds)
    }
}

extension LiveKey.State {
    /// Whether the caches do not hold the value yet.
    var isDirty: Bool { content.revision != written && content.hasValue }

    /// The tasks of the errands that `isOver` picks, which are no longer known.
    mutating func takeErrands(where isOver: (LiveKey.Errand) -> Bool) -> [Task<Void, Never>] {
        let gone = errands.filter { isOver($0.value) }
        for number in gone.keys { errands[number] = nil }
        return gone.values.map(\.task)
    }

    /// Whether a feed keeps the value up to date, or is about to.
    var isFollowed: Bool { feeds.contains { $0.status.state == .live || $0.status.state == .syncing } }

    /// What is known beside the value.
    var status: LiveStatus {
        var status = LiveStatus()
        let (hasValue, isBusy) = (content.hasValue, isFetching || !loads.isEmpty)
        status.isLoading = !hasValue && isBusy
        status.isRefreshing = hasValue && isBusy
        status.isStale = hasValue && isStale
        status.error = error
        status.source = source
        status.feeds = feeds.map(\.status)
        if !partFeeds.statuses.isEmpty { status.feeds += partFeeds.statuses }
        if let composition {
            (status.isComplete, status.parts, status.missing) = (composition.isComplete, composition.parts, composition.missing)
            status.attempted = composition.attempted
        } else {
            status.missing = content.missing
        }
        return status
    }

    /// The waiting observers, where something is new for them.
    fileprivate mutating func takeWaiters() -> [Race<Void>] {
        guard let any = waiting.first, let seen = observers[any.key] ?? nil else { return [] }
        guard isOver || !partFeeds.isCurrent || seen.revision != content.revision || seen.status != status else { return [] }
        defer { waiting = [:] }
        return Array(waiting.values)
    }

    /// The wholes that have not seen yet what its feeds do.
    fileprivate mutating func wholesToTell() -> [LiveKey] {
        guard !wholes.isEmpty else { return [] }
        let present = feeds.map(\.status)
        guard told != present else { return [] }
        told = present
        return wholes.values.compactMap { $0() }
    }
}
