import Synchronization

extension LiveKey {
    /// Begins the feeds of the pipeline that loads this key, in the place of those of another.
    ///
    /// - Parameter specs: nil for those of the present pipeline.
    func startFeeds(_ specs: [FeedSpec]? = nil) {
        guard let pipeline = lives.pipeline else { return }
        let specs = specs ?? pipeline.spec.live
        var feeds: [KeyFeed] = []
        var failures: [(index: Int, ending: LiveEnding)] = []
        for (index, spec) in specs.enumerated() {
            var entry = KeyFeed(spec)
            do {
                entry.feed = try lives.connections.feed(spec, of: pipeline, for: key)
            } catch {
                failures.append((index, LiveEnding(error)))
            }
            feeds.append(entry)
        }
        // The new ones are entered before the old ones are left: a connection that both use stays open.
        let old = change { state in
            if state.content.follow(specs) {
                // What observers have cannot be compared with a value that is merged in another way.
                for number in state.observers.keys { state.observers[number]?.contents = nil }
            }
            defer { state.feeds = feeds }
            return state.feeds
        }
        for (index, entry) in feeds.enumerated() { entry.feed?.add(self, as: index) }
        leave(old)
        for (index, ending) in failures {
            follow(index) { $0.enter(.refused, reason: self.lives.connections.redactor.redacted(ending.reason)) }
        }
    }

    /// The feed at `index` enters a state without a value.
    func follow(_ index: Int, _ step: (inout KeyFeed) -> [FeedEvent]) {
        report(
            change { state in
                guard state.feeds.indices.contains(index) else { return [] }
                let events = step(&state.feeds[index])
                switch state.feeds[index].status.state {
                case .syncing, .live: break
                case .off, .connecting, .down, .refused, .ended:
                    state.feeds[index].awaited = nil
                    // While it is down, copies are served as their times say.
                    if state.feeds.allSatisfy({ $0.awaited == nil }) { state.unconfirmed = nil }
                }
                return events
            })
    }

    /// The stream of the feed at `index` has begun.
    ///
    /// - Parameter isResumed: whether it goes on where an earlier one ended.
    func begin(_ index: Int, isResumed: Bool) {
        let events: [FeedEvent]? = change { [clock] state in
            guard state.feeds.indices.contains(index) else { return [] }
            if isResumed, state.feeds[index].hasBeenLive { return state.feeds[index].enter(.live) }
            if state.feeds[index].hasBeenLive { state.unconfirmed = clock.now }
            return nil
        }
        if let events { report(events) } else { sync(index) }
    }

    /// Loads the value again, until a load that begins after now has landed. The feed at `index` is live then.
    func sync(_ index: Int) {
        let events = change { state -> [FeedEvent]? in
            guard state.feeds.indices.contains(index), !state.isOver else { return nil }
            state.feeds[index].awaited = state.content.lastLoad
            return state.feeds[index].enter(.syncing)
        }
        guard let events, let pipeline = lives.pipeline else { return }
        report(events)
        // Ends when nothing is awaited any more; cancelled when the pipelines are shut down.
        pipeline.background.adopt(Task { await self.loadUntilSynced(with: pipeline) })
    }

    private func loadUntilSynced(with pipeline: DataPipeline) async {
        var backoff = Backoff(ReconnectPolicy())
        var random = lives.connections.random
        while !Task.isCancelled {
            await pipeline.loadAnew(key, confirming: confirmable)
            guard state.withLock({ state in !state.isOver && state.feeds.contains { $0.awaited != nil } }) else { return }
            guard (try? await clock.sleep(for: backoff.pause(random: &random))) != nil else { return }
            guard state.withLock({ state in !state.isOver && state.feeds.contains { $0.awaited != nil } }) else { return }
        }
    }

    /// Merges a change that came through the feed at `index`. Returns what follows for the count of the feed.
    func apply(_ change: Change, through index: Int) -> MergeEffect {
        let now = clock.now
        let (effect, isFirst) = self.change { state -> (MergeEffect, Bool) in
            if state.isOver { return (.unchanged, false) }
            let before = state.content.revision
            let effect = state.content.apply(change, at: now)
            // One too many for the log is merged all the same.
            guard state.content.revision != before else { return (effect, false) }
            isDirty.store(true, ordering: .releasing)
            defer { state.isWriting = true }
            return (effect, !state.isWriting)
        }
        if isFirst { writeChanges() }
        switch effect {
        case .refresh: wantRefresh()
        case .overflowed: sync(index)
        default: break
        }
        return effect
    }

    /// A change asks for the value to be loaded again: soon, together with others that ask.
    func wantRefresh() {
        step { [clock] in $0.want(at: clock.now) }
    }

    private func step(_ next: (inout RefreshPace) -> RefreshPace.Step) {
        switch state.withLock({ $0.isOver ? .none : next(&$0.pace) }) {
        case .none: break
        case .load:
            guard let pipeline = lives.pipeline else { return }
            let before = state.withLock { $0.content.revision }
            // Ends with the load; cancelled when the pipelines are shut down.
            pipeline.background.adopt(
                Task {
                    await pipeline.loadAnew(self.key, confirming: self.confirmable)
                    let after = self.state.withLock { $0.content.revision }
                    self.step { [clock = self.clock] in $0.end(bringingNews: after != before, at: clock.now) }
                })
        case .wait(let moment):
            _ = clock.alarms.set(at: moment) { [weak self] in
                self?.step { $0.wake(at: moment) }
            }
        }
    }

    /// Loads the value again, and returns when that has ended.
    func refresh() async {
        await lives.pipeline?.loadAnew(key, confirming: confirmable)
    }

    /// The value, where its origin can confirm it.
    private var confirmable: Entry? {
        let join = state.withLock { $0.content.joining() }
        return join().flatMap { $0.hasValidator ? $0 : nil }
    }

    /// Leaves feeds that are no longer needed.
    func leave(_ feeds: [KeyFeed]) {
        for var entry in feeds {
            entry.feed?.remove(self)
            report(entry.enter(.off))
        }
    }

    /// Reports what happened at a feed.
    func report(_ events: [FeedEvent]) {
        guard let observer = lives.observer else { return }
        for event in events { observer(.feed(event, pipeline: key.pipeline)) }
    }
}
