import Pipeline
import Synchronization

extension LiveKey {
    /// The state of the caches of a key: how much of its value they have been handed.
    struct Caches {
        /// The revision that they have been handed.
        var written: UInt64 = 0
        private var isWriting = false
        /// Whether they were asked for a copy to merge changes into.
        private var hasSoughtBase = false

        /// Notes that changes are written to them; false if a task does so already.
        mutating func beginWriting() -> Bool {
            defer { isWriting = true }
            return !isWriting
        }

        /// Notes that the task which writes changes has ended.
        mutating func endWriting() { isWriting = false }

        /// Notes that they are asked for a copy to merge changes into; false if they were before.
        mutating func seekBase() -> Bool {
            defer { hasSoughtBase = true }
            return !hasSoughtBase
        }
    }

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
                    await self.settle(with: pipeline)
                    let time = self.clock.now.duration(since: begin)
                    let isDone = self.change { state in
                        let isDone = !state.isDirty || state.isOver
                        if isDone { state.caches.endWriting() }
                        return isDone
                    }
                    if isDone || Task.isCancelled { return }
                    // The key may be removed or replaced at the moment: then nothing of it is written.
                    try? await pipeline.generations.endOfRemovals(of: self.key)
                    await Task.yield()
                    if time > .zero { try? await self.clock.sleep(for: time * 4) }
                }
            })
    }

    /// Returns when memory holds every change that came before, and slower caches have been handed them.
    ///
    /// - Parameter pipeline: nil for the one that loads the key now.
    func settle(with pipeline: DataPipeline? = nil) async {
        await lane.run { await write(with: pipeline) }
    }

    /// Returns when memory holds every change that came before a fetch. Throws `CancellationError` when it is cancelled while others write
    /// copies of the key.
    @usableFromInline
    func settleForFetch() async throws {
        try await lane.runUnlessCancelled { await write(with: nil) }
    }

    private func write(with pipeline: DataPipeline?) async {
        guard let pipeline = pipeline ?? lives.pipeline else { return }
        // Before the value is read: what is removed between the two is not written.
        let permit = pipeline.generations.permit(for: key)
        let (isDirty, join, revision, landed) = state.withLock { state in
            (state.isDirty, state.content.joining(), state.content.revision, state.expiry.landed)
        }
        guard isDirty, let entry = join() else { return }
        await pipeline.store(merged: entry, landed: landed ?? clock.now, for: key, permit)
        if permit.isCurrent { noteWritten(revision) }
    }

    /// Stores what a load found in `source`, or rather what it has become since.
    func store(_ entry: Entry, from source: String?, _ permit: Generations.WritePermit?, _ store: (Entry) async -> Void) async {
        await lane.run {
            // What another process has stored since takes the place of a value that no feed follows.
            let isCopy = entry.stored != nil
            let cut = isCopy ? cut(entry) : nil
            let (join, revision) = change { state -> (@Sendable () -> Entry?, UInt64) in
                if let cut, permit?.isCurrent ?? true { state.adopt(cut, from: source, isStale: false, at: clock.now) }
                return (state.content.joining(), state.content.revision)
            }
            let isMerging = state.withLock(\.content.isMerging)
            let merged = (isMerging ? join() : nil).map { entry.holding($0) } ?? entry
            await store(merged)
            // The load itself tells of what it has found.
            if merged.payload != entry.payload { await lives.pipeline?.followers.tell(.key(key), to: merged, by: .merge) }
            // A copy goes to the caches above its own only.
            if !isCopy, permit?.isCurrent ?? true { noteWritten(revision) }
        }
    }

    /// The caches have been handed `revision`. Where no feed waits for a load, copies are from now on as fresh as their times say.
    private func noteWritten(_ revision: UInt64) {
        change { state in
            state.caches.written = max(state.caches.written, revision)
            state.feeds.trustCopiesIfSynced()
        }
    }
}

extension Entry {
    /// This copy with the payload of `other`. What its origin says of a payload goes, where that is another one.
    fileprivate func holding(_ other: Entry) -> Entry {
        guard other.payload != payload else { return self }
        var copy = Entry(
            other.payload ?? [], created: created, stored: stored, freshUntil: freshUntil, contentType: contentType, source: source,
            cacheControl: cacheControl, variant: variant, notKept: notKept)
        if other.isNotFound { copy.payload = nil }
        return copy
    }
}
