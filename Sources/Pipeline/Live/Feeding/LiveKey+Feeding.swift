import Synchronization

extension LiveKey {
    /// Begins the feeds of the pipeline that loads this key, in the place of those of another. Those that are the same go on as they are.
    ///
    /// - Parameter specs: nil for those of the present pipeline.
    func startFeeds(_ specs: [FeedSpec]? = nil) {
        guard let pipeline = lives.pipeline else { return }
        let specs = specs ?? pipeline.spec.live
        // The new ones are entered before the old ones are left: a connection that both use stays open.
        let old = change { state -> [KeyFeed] in
            // A key that has ended gets none.
            if state.isOver { return [] }
            if state.content.follow(specs, limit: pipeline.spec.policy.maxSize) {
                // What observers have cannot be compared with a value that is merged in another way.
                state.observers = state.observers.mapValues { $0?.withoutContents }
                state.shown = nil
            }
            var old = state.feeds
            state.feeds = specs.map { spec in
                guard let same = old.firstIndex(where: { $0.feed != nil && $0.spec.isSame(as: spec) }) else { return KeyFeed(spec) }
                return old.remove(at: same)
            }
            return old
        }
        for (index, spec) in specs.enumerated() { startFeed(spec, at: index, of: pipeline) }
        leave(old)
    }

    private func startFeed(_ spec: FeedSpec, at index: Int, of pipeline: DataPipeline) {
        do {
            while let feed = try lives.connections.feed(spec, of: pipeline, for: key) {
                change { if $0.feeds.indices.contains(index) { $0.feeds[index].feed = feed } }
                // The connection that it shares may end at this moment; the next one does not.
                guard feed.add(self, as: index) else { continue }
                // The key may have ended meanwhile.
                if state.withLock(\.isOver) { feed.remove(self) }
                return
            }
        } catch {
            let reason = lives.connections.redactor.redacted(LiveEnding(error).reason)
            report(change { $0.feeds.indices.contains(index) ? $0.feeds[index].enter(.refused, reason: reason) : [] }, of: spec.name)
        }
    }

    /// The connection of `feed` is no stream any more, or not yet.
    ///
    /// - Parameter phase: counts the phases of the connection: one that is reported late says nothing.
    func follow(_ feed: Feed, _ index: Int, in phase: UInt64, _ step: (inout KeyFeed) -> [FeedEvent]) {
        report(
            change { state in
                guard state.enter(phase, of: feed, at: index) else { return [] }
                let events = step(&state.feeds[index])
                state.feeds[index].awaited = nil
                // While it is down, copies are served as their times say.
                if state.feeds.allSatisfy({ $0.awaited == nil }) { state.unconfirmed = nil }
                return events
            }, of: feed.spec.name)
    }

    /// The stream of `feed` has begun.
    ///
    /// - Parameter isResumed: whether it goes on where an earlier one ended.
    func begin(_ feed: Feed, _ index: Int, in phase: UInt64, isResumed: Bool) {
        let mustStart = change { [clock] state -> Bool? in
            guard state.enter(phase, of: feed, at: index) else { return nil }
            if isResumed, state.feeds[index].hasBeenLive, !state.feeds[index].owesLoad { return false }
            if state.feeds[index].hasBeenLive { state.unconfirmed = clock.now }
            return true
        }
        switch mustStart {
        case true?: sync(feed, index)
        case false?:
            feed.noteLive(in: phase)
            let events = change { state -> [FeedEvent] in
                guard state.feeds.indices.contains(index) else { return [] }
                return state.feeds[index].enter(.live) + state.turnFeeds().flatMap(\.events)
            }
            report(events, of: feed.spec.name)
        case nil: break
        }
    }

    /// Loads the value again, until a load that begins after now has landed. `feed` is live then.
    func sync(_ feed: Feed, _ index: Int) {
        let (events, mustStart, wake) = change { state -> ([FeedEvent], Bool, Race<Void>?) in
            guard state.isFeed(feed, at: index), !state.isOver else { return ([], false, nil) }
            state.feeds[index].awaited = state.content.lastLoad
            state.feeds[index].owesLoad = true
            state.syncs += 1
            defer { (state.isSyncing, state.syncWake) = (true, nil) }
            return (state.feeds[index].enter(.syncing), !state.isSyncing, state.syncWake)
        }
        report(events, of: feed.spec.name)
        wake?.finish(.success(()))
        guard mustStart, let pipeline = lives.pipeline else { return }
        run(forObservers: false, with: pipeline) { await self.loadUntilSynced(with: pipeline) }
    }

    /// The shortest time from one load for feeds to the next.
    private static let pause = Duration.seconds(1)

    private func loadUntilSynced(with pipeline: DataPipeline) async {
        var backoff = Backoff(ReconnectPolicy())
        var random = lives.connections.random
        while true {
            let (begin, syncs) = (clock.now, state.withLock(\.syncs))
            await pipeline.loadAnew(key, confirming: confirmable)
            let wake = Race<Void>()
            let isAskedAgain = change { state -> Bool? in
                let isDone = state.isOver || Task.isCancelled || state.feeds.allSatisfy { $0.awaited == nil }
                (state.isSyncing, state.syncWake) = (!isDone, isDone ? nil : wake)
                return isDone ? nil : state.syncs != syncs
            }
            guard let isAskedAgain else { return }
            // After a failure ever longer, unless a feed asks again.
            if !isAskedAgain { try? await wake.value(until: clock.now + backoff.pause(random: &random), on: clock) }
            try? await clock.sleep(for: max(.zero, (begin + Self.pause).duration(since: clock.now)))
        }
    }

    /// Merges a change that came through the feed at `index`. Returns what follows for the count of the feed.
    func apply(_ change: Change, through feed: Feed, _ index: Int) -> MergeEffect {
        let now = clock.now
        let (effect, isFirst) = self.change { state -> (MergeEffect, Bool) in
            if state.isOver { return (.unchanged, false) }
            let before = state.content.revision
            let effect = state.content.apply(change, at: now)
            // One too many for the log is merged all the same.
            guard state.content.revision != before else { return (effect, false) }
            defer { state.isWriting = true }
            return (effect, !state.isWriting)
        }
        if isFirst { writeChanges() }
        switch effect {
        case .refresh: wantRefresh()
        case .overflowed, .faulty: sync(feed, index)
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
            let before = state.withLock(\.news)
            run(forObservers: false, with: pipeline) {
                await pipeline.loadAnew(self.key, confirming: self.confirmable)
                let after = self.state.withLock(\.news)
                self.step { [clock = self.clock] in $0.end(bringingNews: after != before, at: clock.now) }
            }
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
            report(entry.enter(.off), of: entry.status.source)
        }
    }

    /// Reports what happened at the feed of `source`.
    func report(_ events: [FeedEvent], of source: String) {
        guard let observer = lives.observer else { return }
        for event in events { observer(.feed(event, source: source, pipeline: key.pipeline)) }
    }
}

extension LiveKey.State {
    /// Whether the feed at `index` is still this one: another configuration may have brought others.
    fileprivate func isFeed(_ feed: Feed, at index: Int) -> Bool { feeds.indices.contains(index) && feeds[index].feed === feed }

    /// Notes the phase of the connection; false where it is known already, or over.
    fileprivate mutating func enter(_ phase: UInt64, of feed: Feed, at index: Int) -> Bool {
        guard isFeed(feed, at: index), !isOver, phase > feeds[index].phase else { return false }
        feeds[index].phase = phase
        return true
    }
}
