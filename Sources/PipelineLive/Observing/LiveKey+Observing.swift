import Pipeline
import Synchronization

extension LiveKey {
    /// The observers of a key, and what they have seen.
    struct Audience {
        /// The last snapshot of each observer; nil before its first.
        var observers: [UInt64: SharedSnapshot?] = [:]
        private var last: UInt64 = 0
        /// The observers that wait until something differs from what they have seen, which is the same for all of them.
        private(set) var waiting: [UInt64: Race<Void>] = [:]
        /// The changes between two revisions, for the observers that stood at the first when they took the second.
        private var compared: (from: UInt64, to: UInt64, changes: ListChanges)?
        /// The snapshot that an observer saw last.
        private(set) var shown: SharedSnapshot?
        /// Indicates whether nothing has changed since.
        private var isShownCurrent = false

        /// Indicates whether nothing observes the key.
        var isEmpty: Bool { observers.isEmpty }

        /// The snapshot of now; nil if it must be made.
        var current: SharedSnapshot? { isShownCurrent ? shown : nil }

        /// The snapshot that all have seen who wait; nil if none waits.
        var seenByWaiting: SharedSnapshot? { waiting.first.flatMap { observers[$0.key] ?? nil } }

        /// Adds an observer; returns its number.
        mutating func enter() -> UInt64 {
            last += 1
            observers.updateValue(nil, forKey: last)
            return last
        }

        /// Removes an observer; returns what it waits for.
        mutating func leave(_ number: UInt64) -> Race<Void>? {
            observers.removeValue(forKey: number)
            return waiting.removeValue(forKey: number)
        }

        /// Notes that something may have changed.
        mutating func outdate() { isShownCurrent = false }

        /// Notes the snapshot of now.
        mutating func note(_ snapshot: SharedSnapshot) { (shown, isShownCurrent) = (snapshot, true) }

        /// Forgets what the next value cannot be compared with.
        mutating func forgetContents() {
            observers = observers.mapValues { $0?.withoutContents }
            shown = nil
        }

        /// Lets nobody wait any more; returns what they wait for.
        mutating func takeWaiting() -> [Race<Void>] {
            defer { waiting = [:] }
            return Array(waiting.values)
        }

        /// Shows `new` to the observer at `place`, or has it wait if it sees no difference.
        mutating func show(_ new: SharedSnapshot, at place: Dictionary<UInt64, SharedSnapshot?>.Index) -> Shown {
            let old = observers.values[place]
            if let old, old.isSame(as: new) {
                let race = Race<Void>()
                waiting[observers.keys[place]] = race
                return .waiting(race)
            }
            observers.values[place] = new
            return .new(new, since: old, known: changes(to: new, since: old))
        }

        /// Notes the changes between two revisions.
        mutating func note(_ changes: ListChanges, from: UInt64, to: UInt64) { compared = (from, to, changes) }

        /// The changes for an observer that stood at `old`; nil if they were not found out before.
        private func changes(to new: SharedSnapshot, since old: SharedSnapshot?) -> ListChanges? {
            if old?.revision ?? 0 == new.revision { return ListChanges.none }
            guard let compared, compared.to == new.revision, compared.from == old?.revision, old?.contents != nil else { return nil }
            return compared.changes
        }
    }

    /// The answer to an observer, as the lock gives it.
    enum Shown {
        case new(SharedSnapshot, since: SharedSnapshot?, known: ListChanges?)
        case waiting(Race<Void>)
        case outdated
        case ended
    }

    /// What an observer gets when it asks.
    enum Next {
        case snapshot(Snapshot)
        /// Nothing is new: ask again when this has finished.
        case waiting(Race<Void>)
        /// Ask again after ``renewPartFeeds()``.
        case outdated
        case ended
    }

    /// Adds an observer. The key is held for it already.
    ///
    /// - Parameters:
    ///   - priority: of its fetch; nil for the pipeline's own.
    ///   - patience: how long that waits for the feeds to begin.
    func enter(_ priority: Priority?, patience: Duration? = nil) -> UInt64 {
        let number = state.withLock { $0.audience.enter() }
        fetchForObserver(priority, patience: patience)
        return number
    }

    /// Removes an observer, and gives the key back. With the last one ends what was begun for observers: a load that others wait for goes on.
    func leave(_ number: UInt64) {
        let (waiter, errands) = state.withLock { state -> (Race<Void>?, [Task<Void, Never>]) in
            let waiter = state.audience.leave(number)
            return (waiter, state.audience.isEmpty ? state.endErrandsForObservers() : [])
        }
        waiter?.finish(.success(()))
        for task in errands { task.cancel() }
        lives.release(self)
    }

    /// What is new for the observer since it asked last.
    func next(of number: UInt64) -> Next {
        let shown = state.withLock { state -> Shown in
            guard !state.isOver, let place = state.audience.observers.index(forKey: number) else { return .ended }
            guard state.parts.feeds.isCurrent else { return .outdated }
            return state.audience.show(state.shared(key), at: place)
        }
        switch shown {
        case .ended: return .ended
        case .outdated: return .outdated
        case .waiting(let race): return .waiting(race)
        case .new(let new, let old, let known): return .snapshot(Snapshot(new, changes: known ?? changes(to: new, since: old)))
        }
    }

    /// What changed for an observer that stood at `old`. Compared without the lock, since lists may be long, and once for all that stood there.
    private func changes(to new: SharedSnapshot, since old: SharedSnapshot?) -> ListChanges {
        guard let old, let contents = new.contents, let known = old.contents, !known.isEmpty else { return .reset }
        let changes = contents.changes(since: known)
        state.withLock { $0.audience.note(changes, from: old.revision, to: new.revision) }
        return changes
    }

    /// Fetches the value for its observers: a fresh copy at hand at once, anything else in the background.
    func fetchForObserver(_ priority: Priority? = nil, patience: Duration? = nil) {
        guard let pipeline = lives.pipeline else { return }
        let permit = pipeline.generations.permit(for: key)
        if let outcome = pipeline.atHand(key) { return endFetch(outcome, permit) }
        beginFetch()
        run(forObservers: true, with: pipeline) {
            if let patience, await self.feedsBring(until: self.clock.now + patience) { return }
            let outcome = try? await pipeline.fetch(self.key, priority: priority)
            // A later observer may fetch it again by then.
            if !Task.isCancelled { self.endFetch(outcome, permit) }
        }
    }

    /// Waits until every feed has begun, and the value was loaded for it, or has failed to. Returns whether that has brought the value.
    private func feedsBring(until limit: Timestamp) async -> Bool {
        let begun = state.withLock { $0.feeds.awaitBegin() }
        guard (try? await begun.value(until: limit, on: clock)) != nil else { return false }
        return change { state in
            let isBrought = state.content.hasValue && state.feeds.isFollowing
            if isBrought { state.loads.isFetching = false }
            return isBrought
        }
    }
}

extension LiveKey.State {
    /// The last observer has left. Returns what was begun for observers.
    fileprivate mutating func endErrandsForObservers() -> [Task<Void, Never>] {
        loads.isFetching = false
        refetching.end()
        return errands.take(where: \.isForObservers)
    }

    /// What observers see now. The same value is one object, which joins its elements once.
    fileprivate mutating func shared(_ key: Key) -> SharedSnapshot {
        if let current = audience.current { return current }
        let (old, revision, status) = (audience.shown, content.shownRevision, status)
        if let old, old.revision == revision, old.status == status {
            audience.note(old)
            return old
        }
        // The same bytes that a load has brought once more are younger.
        let value = old?.revision == revision && old?.value.times == content.times ? old?.value : nil
        let new = SharedSnapshot(key, revision: revision, value ?? content.snapshotValue(), content.comparable, status: status)
        audience.note(new)
        return new
    }
}
