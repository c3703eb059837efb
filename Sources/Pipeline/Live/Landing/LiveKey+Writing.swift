import Synchronization

extension LiveKey {
    /// Writes what is merged to the caches, in the background, until they hold all of it.
    ///
    /// A value is joined from its elements for each write, not for each change: after one that took its time, as much again and more goes to
    /// what merges.
    func writeChanges() {
        guard let pipeline = lives.pipeline else { return }
        // Ends when the caches hold everything; cancelled when the pipelines are shut down.
        pipeline.background.adopt(
            Task {
                while true {
                    let begin = self.clock.now
                    await self.settle()
                    let time = self.clock.now.duration(since: begin)
                    let isDone = self.state.withLock { state in
                        let isDone = !self.isDirty.load(ordering: .acquiring) || state.isOver
                        if isDone { state.isWriting = false }
                        return isDone
                    }
                    if isDone { return }
                    if time > .zero { try? await self.clock.sleep(for: time * 4) }
                }
            })
    }

    /// Returns when memory holds every change that came before, and slower caches have been handed them.
    func settle() async {
        await lane.run {
            guard isDirty.exchange(false, ordering: .acquiringAndReleasing), let pipeline = lives.pipeline else { return }
            let permit = pipeline.generations.permit(for: key)
            let (join, landed) = state.withLock { ($0.content.joining(), $0.landed) }
            guard let entry = join(), !entry.isNotFound else { return }
            await pipeline.store(merged: entry, landed: landed ?? clock.now, for: key, permit)
            confirmCopies()
        }
    }

    /// Memory holds the value: where no feed waits for a load, copies are as fresh as their times say.
    private func confirmCopies() {
        state.withLock { state in
            if state.feeds.allSatisfy({ $0.awaited == nil }) { state.unconfirmed = nil }
        }
    }

    /// Stores what a load found, or rather what it has become since.
    func store(_ entry: Entry, for request: LoadRequest, _ store: (Entry) async -> Void) async {
        await lane.run {
            // Before the value is taken: a change that comes after that is written again.
            isDirty.store(false, ordering: .releasing)
            let join = state.withLock { $0.content.isMerging ? $0.content.joining() : nil }
            await store(join?().map { entry.holding($0) } ?? entry)
            confirmCopies()
        }
    }
}

extension Entry {
    /// The same copy with the payload of `other`. What its origin says of a payload goes, where that is another one.
    fileprivate func holding(_ other: Entry) -> Entry {
        guard other.payload != payload else { return self }
        var copy = Entry(
            other.payload ?? [], created: created, stored: stored, freshUntil: freshUntil, contentType: contentType, source: source)
        if other.isNotFound { copy.payload = nil }
        return copy
    }
}
