import Synchronization

extension LiveKey {
    /// A part of this value: its feeds run as long as this is observed, and those of what it is made from.
    func hold(_ part: Key, of pipeline: DataPipeline) {
        guard !pipeline.spec.live.isEmpty || pipeline.composite != nil, state.withLock({ $0.parts[part] == nil && !$0.isOver }),
            let held = pipeline.lives.hold(part, of: pipeline)
        else { return }
        let hold = LiveHold(held)
        state.withLock { state in
            if !state.isOver, state.parts[part] == nil { state.parts[part] = hold }
        }
        withExtendedLifetime(hold) {}
    }

    /// It is made from these parts now.
    func holdOnly(_ parts: Set<Key>) {
        let gone = state.withLock { state in
            let gone = state.parts.filter { !parts.contains($0.key) }
            for part in gone.keys { state.parts[part] = nil }
            return gone
        }
        // Released here, and not under the lock.
        withExtendedLifetime(gone) {}
    }

    /// A part has changed: fetches the value again for its observers, once for all changes that come until that has ended.
    func fetchAgainForObservers() {
        guard let pipeline = lives.pipeline else { return }
        let begins = state.withLock { state in
            guard !state.observers.isEmpty, !state.isOver else { return false }
            state.mustFetchAgain = true
            defer { state.isFetchingAgain = true }
            return !state.isFetchingAgain
        }
        guard begins else { return }
        // Ends when no part has changed since it began; cancelled when the pipelines are shut down.
        pipeline.background.adopt(
            Task {
                while self.mustFetchAgain() {
                    // Changes that come together give one whole.
                    await Task.yield()
                    self.state.withLock { $0.mustFetchAgain = false }
                    // Another may have taken over.
                    let present = self.lives.pipeline ?? pipeline
                    let permit = present.generations.permit(for: self.key)
                    self.endFetch(try? await present.fetch(self.key), permit)
                }
            })
    }

    private func mustFetchAgain() -> Bool {
        state.withLock { state in
            if !state.mustFetchAgain || Task.isCancelled { state.isFetchingAgain = false }
            return state.isFetchingAgain
        }
    }
}
