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
        let waiter = state.withLock { state in
            state.observers[number] = nil
            return state.waiting.removeValue(forKey: number)
        }
        waiter?.finish(.success(()))
        lives.release(self)
    }

    /// What is new for the observer since it asked last.
    func next(of number: UInt64) -> Next {
        enum Taken {
            case new(Watcher, since: Watcher, LiveStatus, SnapshotValue, known: ListChanges?)
            case waiting(Race<Void>)
            case ended
        }
        let taken = state.withLock { state -> Taken in
            guard !state.isOver, let old = state.observers[number] else { return .ended }
            let (revision, status) = (state.content.revision, state.status)
            if old.revision == revision, old.status == status {
                let race = Race<Void>()
                state.waiting[number] = race
                return .waiting(race)
            }
            let new = Watcher(revision: revision, contents: state.content.comparable, status: status)
            state.observers[number] = new
            let known = state.compared.flatMap { $0.from == old.revision && $0.to == revision && old.contents != nil ? $0.changes : nil }
            return .new(new, since: old, status, state.value(of: revision), known: known)
        }
        switch taken {
        case .ended: return .ended
        case .waiting(let race): return .waiting(race)
        case .new(let new, let old, let status, let value, let known):
            return .snapshot(
                Snapshot(key, revision: new.revision ?? 0, value, changes: known ?? changes(to: new, since: old), status: status))
        }
    }

    /// What changed for an observer that stood at `old`. Compared without the lock, since lists may be long, and once for all that stood there.
    private func changes(to new: Watcher, since old: Watcher) -> ListChanges {
        let changes = new.changes(since: old)
        if let from = old.revision, let to = new.revision, from != to, old.contents != nil {
            state.withLock { $0.compared = (from, to, changes) }
        }
        return changes
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
