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
    func enter() -> UInt64 {
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = Watcher()
            return state.lastObserver
        }
        fetchForObserver()
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
        state.withLock { state in
            guard !state.isOver, var watcher = state.observers[number] else { return .ended }
            let (revision, status) = (state.content.revision, state.status)
            if watcher.revision == revision, watcher.status == status {
                let race = Race<Void>()
                state.observers[number]?.waiter = race
                return .waiting(race)
            }
            let changes: ListChanges =
                switch watcher.revision {
                case let known?: state.content.changes(since: known)
                case nil: revision == 0 ? .none : .reset
                }
            (watcher.revision, watcher.status, watcher.waiter) = (revision, status, nil)
            state.observers[number] = watcher
            return .snapshot(Snapshot(key, revision: revision, state.value(of: revision), changes: changes, status: status))
        }
    }

    /// Fetches the value for its observers: a fresh copy at hand at once, anything else in the background.
    func fetchForObserver() {
        guard let pipeline = lives.pipeline else { return }
        if let outcome = pipeline.atHand(key) { return endFetch(outcome) }
        beginFetch()
        // Ends with the fetch; cancelled when the pipelines are shut down.
        pipeline.background.adopt(
            Task {
                self.endFetch(try? await pipeline.fetch(self.key))
            })
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
