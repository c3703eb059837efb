import Pipeline
import Synchronization

/// One key that is observed or fed: its value, its status, its feeds, and the observers that see value and status.
@usableFromInline
package final class LiveKey: Sendable {
    struct State {
        var content: LiveContent
        /// Know what a copy was made from.
        let copies: CopyDetails
        /// Where the value was read, or the changes were merged into it; nil without a value, and for one that was put.
        var source: String?
        var error: LoadError?
        /// The detail of the value, or of the load that failed; nil if it is not made from others.
        var detail: (any ReplyDetail)?
        var expiry = Expiry()
        var loads = Loads()
        var caches = Caches()
        var audience = Audience()
        var feeds = KeyFeeds()
        var syncing = SyncPass()
        var pace = RefreshPace()
        var parts = Parts()
        var wholes = Wholes()
        var refetching = Refetching()
        var errands = Errands()
        var isOver = false
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

    init(
        _ key: Key, in lives: LiveKeys, life: UInt64, fedBy specs: [FeedSpec], or merging: MergePolicy? = nil,
        limit: Size = Size(bytes: 64 << 20)
    ) {
        self.key = key
        self.lives = lives
        self.life = life
        state = Mutex(State(content: LiveContent(fedBy: specs, or: merging, limit: limit), copies: lives.copies))
    }

    var clock: PipelineClock { lives.clock }

    /// Indicates whether the value may be newer than the copies of the key.
    var mayBeNewer: Bool { isDirty.load(ordering: .acquiring) || state.withLock { !$0.feeds.all.isEmpty } }

    /// What the feeds say about the copies of the key.
    var confirmation: CopyConfirmation { state.withLock(\.feeds.confirmation) }

    /// Whether it has observers.
    var isObserved: Bool { state.withLock { !$0.audience.isEmpty && !$0.isOver } }

    /// Changes the state, and wakes the observers that have something new to see.
    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (result, waiters, wholes) = state.withLock { state in
            let result = body(&state)
            state.content.layAgain()
            state.audience.outdate()
            isDirty.store(state.isDirty, ordering: .releasing)
            return (result, state.takeWaiters() + state.feeds.takeBegun(), state.wholes.toTell(of: state.feeds))
        }
        for waiter in waiters { waiter.finish(.success(())) }
        if !wholes.isEmpty { tell(wholes) }
        return result
    }

    /// Ends every observation and every feed.
    func end() {
        let (feeds, parts, errands) = change { state in
            state.isOver = true
            state.expiry.alarm.cancel(on: clock)
            return (state.feeds.takeAll(), state.parts.takeAll(), state.errands.take { _ in true })
        }
        for task in errands { task.cancel() }
        // Released here, and not under the lock.
        withExtendedLifetime(parts) {}
        leave(feeds)
    }
}

extension LiveKey.State {
    /// Whether the caches do not hold the value yet.
    var isDirty: Bool { content.revision != caches.written && content.hasValue }

    /// What is known beside the value.
    var status: LiveStatus {
        var status = LiveStatus()
        let (hasValue, isBusy) = (content.hasValue, loads.isBusy)
        status.isLoading = !hasValue && isBusy
        status.isRefreshing = hasValue && isBusy
        status.isStale = hasValue && expiry.isStale
        status.error = error
        status.source = source
        status.feeds = feeds.statuses
        if !parts.feeds.statuses.isEmpty { status.feeds += parts.feeds.statuses }
        status.detail = content.detail(over: detail ?? content.entry.flatMap(copies.detail))
        return status
    }

    /// The waiting observers, where something is new for them.
    mutating func takeWaiters() -> [Race<Void>] {
        guard let seen = audience.seenByWaiting else { return [] }
        guard isOver || !parts.feeds.isCurrent || seen.revision != content.shownRevision || seen.status != status else { return [] }
        return audience.takeWaiting()
    }
}
