import Synchronization

extension LiveKey {
    /// What an observer gets when it asks.
    enum Next {
        case snapshot(Snapshot)
        /// Nothing is new: ask again when this has finished.
        case waiting(Race<Void>)
        case ended
    }

    /// Adds an observer. The key is held for it already.
    ///
    /// - Parameter priority: of its fetch; nil for the pipeline's own.
    func enter(_ priority: Priority?) -> UInt64 {
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = Watcher()
            return state.lastObserver
        }
        fetchForObserver(priority)
        return number
    }

    /// Removes an observer, and gives the key back.
    func leave(_ number: UInt64) {
        let waiter = state.withLock { $0.observers.removeValue(forKey: number)?.waiter }
        waiter?.finish(.success(()))
        lives.release(self)
    }

    /// What is new for the observer since it asked last.
    func next(of number: UInt64) -> Next {
        let race = Race<Void>()
        let taken = state.withLock { state -> (old: Watcher, new: Watcher, status: LiveStatus, value: SnapshotValue)? in
            guard !state.isOver, let old = state.observers[number] else { return nil }
            var new = old
            let (revision, status) = (state.content.revision, state.status)
            (new.revision, new.contents, new.status, new.waiter) = (revision, state.content.comparable, status, nil)
            if old.revision == revision, old.status == status { new.waiter = race }
            state.observers[number] = new
            return (old, new, status, state.value(of: revision))
        }
        guard let (old, new, status, value) = taken else { return .ended }
        if new.waiter != nil { return .waiting(race) }
        // Compared without the lock: lists may be long.
        return .snapshot(Snapshot(key, revision: new.revision ?? 0, value, changes: new.changes(since: old), status: status))
    }

    /// Fetches the value for its observers: a fresh copy at hand at once, anything else in the background.
    func fetchForObserver(_ priority: Priority? = nil) {
        guard let pipeline = lives.pipeline else { return }
        let permit = pipeline.generations.permit(for: key)
        if let outcome = pipeline.atHand(key) { return endFetch(outcome, permit) }
        beginFetch()
        // Ends with the fetch; cancelled when the pipelines are shut down.
        pipeline.background.adopt(
            Task {
                self.endFetch(try? await pipeline.fetch(self.key, priority: priority), permit)
            })
    }
}

extension LiveKey.Watcher {
    /// What changed since the observer stood at `old`.
    fileprivate func changes(since old: Self) -> ListChanges {
        if revision == old.revision || old.revision == nil && revision == 0 { return .none }
        guard let contents, let known = old.contents, !known.isEmpty else { return .reset }
        return contents.changes(since: known)
    }
}

extension LiveKey.State {
    /// The value of the present revision: one object for all observers, which join its elements once.
    fileprivate mutating func value(of revision: UInt64) -> SnapshotValue {
        if let shown, shown.revision == revision { return shown.value }
        let value = content.snapshotValue()
        shown = (revision, value)
        return value
    }
}
