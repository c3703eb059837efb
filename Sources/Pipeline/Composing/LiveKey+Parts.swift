import Synchronization

extension LiveKey {
    /// A part of this value: its feeds run as long as this is observed, and those of what it is made from.
    func hold(_ part: Key, of pipeline: DataPipeline) {
        guard !pipeline.spec.live.isEmpty || pipeline.asksOthers, state.withLock({ $0.parts[part] == nil && !$0.isOver }),
            let held = pipeline.lives.hold(part, of: pipeline)
        else { return }
        let hold = LiveHold(held, for: self)
        let isNew = state.withLock { state in
            guard !state.isOver, state.parts[part] == nil else { return false }
            state.parts[part] = hold
            return true
        }
        if isNew { tell(noteChangeOfParts()) }
        withExtendedLifetime(hold) {}
    }

    /// It is made from these parts now.
    func holdOnly(_ parts: Set<Key>) {
        let gone = state.withLock { state in
            let gone = state.parts.filter { !parts.contains($0.key) }
            for part in gone.keys { state.parts[part] = nil }
            return gone
        }
        if !gone.isEmpty { tell(noteChangeOfParts()) }
        // Released here, and not under the lock.
        withExtendedLifetime(gone) {}
    }

    /// It is a part of `whole` from now on, until the number is given to ``leaveWhole(_:)``.
    func join(_ whole: LiveKey) -> UInt64 {
        state.withLock { state in
            state.lastWhole += 1
            state.wholes[state.lastWhole] = { [weak whole] in whole }
            state.told = state.feeds.map(\.status)
            return state.lastWhole
        }
    }

    /// It is no part of that whole any more.
    func leaveWhole(_ number: UInt64) {
        state.withLock { $0.wholes[number] = nil }
    }

    /// Lets observers of `wholes`, and of what these are parts of, see what the feeds of their parts do now.
    func tell(_ wholes: [LiveKey]) {
        // A reload may have turned a part into a whole of what it was a part of: each is told once.
        var (open, told) = (wholes, Set([ObjectIdentifier(self)]))
        while let whole = open.popLast() {
            guard told.insert(ObjectIdentifier(whole)).inserted else { continue }
            open += whole.noteChangeOfParts()
        }
    }

    /// Finds out what the feeds of its parts do, and those of what these are made from. Takes one lock after the other.
    func renewPartFeeds() {
        let changes = state.withLock(\.partFeeds.changes)
        var (keys, seen, found) = (heldParts, Set([ObjectIdentifier(self)]), [FeedStatus]())
        var next = 0
        while next < keys.count {
            let part = keys[next]
            next += 1
            guard seen.insert(ObjectIdentifier(part)).inserted else { continue }
            for var status in part.state.withLock({ $0.feeds.map(\.status) }) {
                status.pipeline = part.key.pipeline
                found.append(status)
            }
            keys += part.heldParts
        }
        state.withLock { [found] state in state.partFeeds.take(found, after: changes) }
    }

    private var heldParts: [LiveKey] {
        state.withLock { $0.parts.values.map(\.key) }.sorted { $0.key.text < $1.key.text }
    }

    /// A part has changed: fetches the value again for its observers, once for all changes that come until that has ended.
    func fetchAgainForObservers() {
        guard let pipeline = lives.pipeline else { return }
        let number = state.withLock { state -> UInt64? in
            guard !state.observers.isEmpty, !state.isOver else { return nil }
            state.mustFetchAgain = true
            guard state.fetchingAgain == nil else { return nil }
            state.lastErrand += 1
            state.fetchingAgain = state.lastErrand
            return state.lastErrand
        }
        guard let number else { return }
        run(forObservers: true, with: pipeline) {
            while true {
                // Changes that come together give one whole.
                await Task.yield()
                guard self.mustFetchAgain(number) else { return }
                // Another may have taken over.
                let present = self.lives.pipeline ?? pipeline
                let permit = present.generations.permit(for: self.key)
                let outcome = try? await present.fetch(
                    self.key, policy: .default, priority: nil, timeout: nil, for: nil, recalling: true)
                if !Task.isCancelled { self.endFetch(outcome, permit) }
            }
        }
    }

    /// Whether a part has changed since `number` began to fetch the value, which begins anew then. It ends where none has.
    private func mustFetchAgain(_ number: UInt64) -> Bool {
        state.withLock { state in
            guard state.fetchingAgain == number else { return false }
            if !state.mustFetchAgain || Task.isCancelled { state.fetchingAgain = nil }
            state.mustFetchAgain = false
            return state.fetchingAgain != nil
        }
    }
}
