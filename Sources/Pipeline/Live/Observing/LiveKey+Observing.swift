import Synchronization

extension LiveKey {
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
    /// - Parameter priority: of its fetch; nil for the pipeline's own.
    func enter(_ priority: Priority?) -> UInt64 {
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers.updateValue(nil, forKey: state.lastObserver)
            return state.lastObserver
        }
        fetchForObserver(priority)
        return number
    }

    /// Removes an observer, and gives the key back. With the last one ends what was begun for observers: a load that others wait for goes on.
    func leave(_ number: UInt64) {
        let (waiter, errands) = state.withLock { state -> (Race<Void>?, [Task<Void, Never>]) in
            state.observers.removeValue(forKey: number)
            return (state.waiting.removeValue(forKey: number), state.observers.isEmpty ? state.endErrandsForObservers() : [])
        }
        waiter?.finish(.success(()))
        for task in errands { task.cancel() }
        lives.release(self)
    }

    /// What is new for the observer since it asked last.
    func next(of number: UInt64) -> Next {
        enum Taken {
            case new(SharedSnapshot, since: SharedSnapshot?, known: ListChanges?)
            case waiting(Race<Void>)
            case outdated
            case ended
        }
        let taken = state.withLock { state -> Taken in
            guard !state.isOver, let place = state.observers.index(forKey: number) else { return .ended }
            guard state.partFeeds.isCurrent else { return .outdated }
            let (old, new) = (state.observers.values[place], state.shared(key))
            if let old, old.isSame(as: new) {
                let race = Race<Void>()
                state.waiting[number] = race
                return .waiting(race)
            }
            state.observers.values[place] = new
            return .new(new, since: old, known: state.changes(to: new, since: old))
        }
        switch taken {
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
        state.withLock { $0.compared = (old.revision, new.revision, changes) }
        return changes
    }

    /// Fetches the value for its observers: a fresh copy at hand at once, anything else in the background.
    func fetchForObserver(_ priority: Priority? = nil) {
        guard let pipeline = lives.pipeline else { return }
        let permit = pipeline.generations.permit(for: key)
        if let outcome = pipeline.atHand(key) { return endFetch(outcome, permit) }
        beginFetch()
        run(forObservers: true, with: pipeline) {
            let outcome = try? await pipeline.fetch(self.key, priority: priority)
            // A later observer may fetch it again by then.
            if !Task.isCancelled { self.endFetch(outcome, permit) }
        }
    }
}

extension LiveKey.State {
    /// The last observer has left. Returns what was begun for observers.
    fileprivate mutating func endErrandsForObservers() -> [Task<Void, Never>] {
        (isFetching, fetchingAgain, mustFetchAgain) = (false, nil, false)
        return takeErrands(where: \.isForObservers)
    }

    /// What observers see now. The same value is one object, which joins its elements once.
    fileprivate mutating func shared(_ key: Key) -> SharedSnapshot {
        if isShownCurrent, let shown { return shown }
        isShownCurrent = true
        let (old, revision, status) = (shown, content.revision, status)
        if let old, old.revision == revision, old.status == status { return old }
        // The same bytes that a load has brought once more are younger.
        let value = old?.revision == revision && old?.value.times == content.times ? old?.value : nil
        let new = SharedSnapshot(key, revision: revision, value ?? content.snapshotValue(), content.comparable, status: status)
        shown = new
        return new
    }

    /// What changed for an observer that stood at `old`; nil where that was not found out before.
    fileprivate func changes(to new: SharedSnapshot, since old: SharedSnapshot?) -> ListChanges? {
        if old?.revision ?? 0 == new.revision { return ListChanges.none }
        guard let compared, compared.to == new.revision, compared.from == old?.revision, old?.contents != nil else { return nil }
        return compared.changes
    }
}
