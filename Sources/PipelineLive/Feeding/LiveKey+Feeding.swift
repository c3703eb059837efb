import Pipeline
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
            if state.content.follow(pipeline.spec.live, or: pipeline.spec.merging, limit: pipeline.spec.policy.maxSize) {
                // What observers have cannot be compared with a value that is merged in another way.
                state.audience.forgetContents()
            }
            return state.feeds.replace(by: specs)
        }
        for (index, spec) in specs.enumerated() { startFeed(spec, at: index, of: pipeline) }
        leave(old)
    }

    private func startFeed(_ spec: FeedSpec, at index: Int, of pipeline: DataPipeline) {
        do {
            while let feed = try lives.connections.feed(spec, of: pipeline, for: key) {
                change { if $0.feeds.all.indices.contains(index) { $0.feeds.all[index].feed = feed } }
                // The connection that it shares may end at this moment; the next one does not.
                guard feed.add(self, as: index) else { continue }
                // The key may have ended meanwhile.
                if state.withLock(\.isOver) { feed.remove(self) }
                return
            }
        } catch {
            let reason = lives.connections.redactor.redacted(LiveEnding(error).reason)
            let events = change { state in
                state.feeds.all.indices.contains(index) ? state.feeds.all[index].enter(.refused, reason: reason) : []
            }
            report(events, of: spec.name)
        }
    }

    /// The connection of `feed` is no stream any more, or not yet.
    ///
    /// - Parameter phase: counts the phases of the connection: one that is reported late says nothing.
    func follow(_ feed: Feed, _ index: Int, in phase: UInt64, _ step: (inout KeyFeed) -> [FeedEvent]) {
        report(
            change { state in
                guard !state.isOver, state.feeds.enter(phase, of: feed, at: index) else { return [] }
                let events = step(&state.feeds.all[index])
                state.feeds.all[index].awaited = nil
                // While it is down, copies are served as their times say.
                state.feeds.trustCopiesIfSynced()
                return events
            }, of: feed.spec.name)
    }

    /// The stream of `feed` has begun.
    ///
    /// - Parameter isResumed: whether it goes on where an earlier one ended.
    func begin(_ feed: Feed, _ index: Int, in phase: UInt64, isResumed: Bool) {
        let mustStart = change { [clock] state -> Bool? in
            guard !state.isOver, state.feeds.enter(phase, of: feed, at: index) else { return nil }
            let entry = state.feeds.all[index]
            if isResumed, entry.hasBeenLive, !entry.owesLoad { return false }
            if entry.hasBeenLive { state.feeds.unconfirmed = clock.now }
            return true
        }
        switch mustStart {
        case true?: sync(feed, index)
        case false?:
            feed.noteLive(in: phase)
            let events = change { state -> [FeedEvent] in
                guard state.feeds.all.indices.contains(index) else { return [] }
                return state.feeds.all[index].enter(.live) + state.feeds.turn(by: state.content.refusal).flatMap(\.events)
            }
            report(events, of: feed.spec.name)
        case nil: break
        }
    }

    /// Loads the value again, until a load that begins after now has landed. `feed` is live then.
    func sync(_ feed: Feed, _ index: Int) {
        let (events, mustStart, wake) = change { state -> ([FeedEvent], Bool, Race<Void>?) in
            guard state.feeds.holds(feed, at: index), !state.isOver else { return ([], false, nil) }
            let events = state.feeds.all[index].beginSync(after: state.content.lastLoad)
            let (mustStart, wake) = state.syncing.ask()
            return (events, mustStart, wake)
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
            let (begin, requests) = (clock.now, state.withLock(\.syncing.requests))
            await pipeline.loadAnew(key, confirming: confirmable)
            let wake = Race<Void>()
            let isAskedAgain = change { state -> Bool? in
                if state.isOver || Task.isCancelled || state.feeds.isSynced {
                    state.syncing.end()
                    return nil
                }
                state.syncing.pause(until: wake)
                return state.syncing.requests != requests
            }
            guard let isAskedAgain else { return }
            // After a failure ever longer, unless a feed asks again.
            if !isAskedAgain { try? await wake.value(until: clock.now + backoff.pause(random: &random), on: clock) }
            try? await clock.sleep(until: begin + Self.pause)
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
            return (effect, state.caches.beginWriting())
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
            let before = state.withLock(\.loads.news)
            run(forObservers: false, with: pipeline) {
                await pipeline.loadAnew(self.key, confirming: self.confirmable)
                let after = self.state.withLock(\.loads.news)
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
