import Pipeline
import Synchronization

extension LiveKey {
    /// The loads of a key that run.
    struct Loads {
        /// The loads, by number.
        private var running: Set<UInt64> = []
        private var last: UInt64 = 0
        /// Indicates whether a new observer fetches the value, and no load has ended since.
        var isFetching = false
        /// The number of loads that have brought another value.
        private(set) var news = 0

        /// Indicates whether none runs, apart from a fetch of an observer.
        var isEmpty: Bool { running.isEmpty }

        /// Indicates whether the value is being loaded.
        var isBusy: Bool { isFetching || !isEmpty }

        /// Begins a load; returns its number.
        mutating func begin() -> UInt64 {
            last += 1
            running.insert(last)
            return last
        }

        /// Ends a load.
        mutating func end(_ load: UInt64) { running.remove(load) }

        /// Ends a load whose answer has landed; nil for one that has no number.
        mutating func land(_ load: UInt64?, bringingNews hasNews: Bool) {
            if hasNews { news += 1 }
            if let load { end(load) }
            isFetching = false
        }
    }

    /// A load begins; ``endLoad(_:with:of:_:)`` takes the number.
    func beginLoad() -> UInt64 {
        change { $0.loads.begin() }
    }

    /// The load ended, or was cancelled.
    func endLoad(_ load: UInt64, with reply: LoadReply?, of call: Call, _ permit: Generations.WritePermit?) {
        let isOfValue = call.policy.asksOrigins && call.policy.writes
        let cut = isOfValue ? reply?.found.map(cut) : nil
        change { state in
            state.loads.end(load)
            // Without its origins a load says little, and what no cache may hold is the value of its caller alone. What was found before
            // the key was removed or replaced is not its value any more; asked under the lock, which a removal needs to void the value.
            guard let reply, isOfValue, permit?.isCurrent ?? true else { return }
            state.take(reply, cut, of: key, at: clock.now)
        }
        watchExpiry()
    }

    /// The list of `entry`, cut without the lock, where that will be the value.
    func cut(_ entry: Entry) -> CutEntry {
        let policy = state.withLock { $0.content.takes(entry, isFollowed: $0.feeds.isFollowing) ? $0.content.policy : nil }
        return CutEntry(entry, for: policy)
    }

    /// A new observer fetches the value; until a load ends, that counts as one.
    func beginFetch() {
        change { $0.loads.isFetching = true }
    }

    /// That fetch ended; without an outcome, it was cancelled.
    ///
    /// - Parameter permit: taken before the fetch began.
    func endFetch(_ outcome: Outcome?, _ permit: Generations.WritePermit) {
        var entry: CutEntry?
        let under = outcome?.detail?.under
        let detail = (under.map(\.detail) ?? outcome?.detail)?.told
        if let under { entry = under.entry.map(cut) } else if case .value(let found) = outcome?.result { entry = cut(found) }
        change { state in
            state.loads.isFetching = false
            guard let entry, permit.isCurrent else { return }
            state.adopt(entry, from: outcome?.source, isStale: outcome?.isStale ?? false, at: clock.now)
            state.note(detail, of: entry)
        }
        watchExpiry()
    }

    /// Looks in the caches of `pipeline` for a copy, once.
    ///
    /// - Returns: the search, if it must be made; cancelled when the pipelines are shut down.
    @discardableResult
    func findBase(with pipeline: DataPipeline) -> Task<Void, Never>? {
        let mustLook = state.withLock { $0.caches.seekBase() && !$0.content.hasValue }
        guard mustLook else { return nil }
        let permit = pipeline.generations.permit(for: key)
        // Ends with the reads.
        let task = Task {
            guard let reply = await pipeline.cached(self.key) else { return }
            if reply.isValue, let entry = reply.base {
                self.adoptBase(entry, from: reply.source, isStale: false, permit)
            } else if let copy = reply.expired.first {
                self.adoptBase(copy.entry, from: copy.source, isStale: true, permit)
            }
        }
        pipeline.background.adopt(task)
        return task
    }

    /// Makes an old copy of a cache the value, where there is none: changes can be merged into it before the first load has landed.
    ///
    /// - Parameter permit: taken before the cache was asked.
    func adoptBase(_ entry: Entry, from source: String?, isStale: Bool, _ permit: Generations.WritePermit) {
        let entry = cut(entry)
        change { state in
            guard !state.content.hasValue, permit.isCurrent else { return }
            state.adopt(entry, from: source, isStale: isStale, at: clock.now)
            state.note(nil, of: entry)
        }
        watchExpiry()
    }

    /// An origin is asked.
    func beginAsking() -> LoadMark {
        state.withLock { [clock] in $0.content.beginAsking(at: clock.now) }
    }

    /// It failed, or was given up.
    func endAsking(_ mark: LoadMark) {
        state.withLock { [clock] in $0.content.endAsking(mark, at: clock.now) }
    }

    /// It answered. Feeds that waited for a load that began after their stream are live from here on.
    ///
    /// - Parameters:
    ///   - source: the name of the origin in its pipeline.
    ///   - load: the load that asked; it counts as ended in the same moment, so that observers see one snapshot.
    ///   - limit: when the copies that caches make of it stop being fresh.
    ///   - detail: what it was made from; nil where it was not made from others.
    /// - Returns: the value as it is now: the answer with every later change, or what has taken its place.
    func land(
        _ entry: Entry, from source: String?, _ mark: LoadMark, of load: UInt64?, freshUntil limit: Timestamp?,
        with detail: (any ReplyDetail)? = nil
    ) -> Entry {
        let now = clock.now
        let detail = detail?.told
        let (policy, present) = state.withLock { ($0.content.policy, $0.content.present) }
        let cut = CutEntry(entry, for: policy, after: present)
        let (landing, join, feeds) = change { state -> (Landing?, @Sendable () -> Entry?, [(feed: KeyFeed, events: [FeedEvent])]) in
            let before = state.content.revision
            guard let landing = state.content.land(cut, mark, at: now) else { return (nil, state.content.joining(), []) }
            state.loads.land(load, bringingNews: state.content.revision != before)
            state.error = nil
            state.source = source
            state.detail = detail
            // Its load alone hands a whole to the caches, where it is still what the parts make.
            if detail != nil, !state.content.isMerged { state.caches.written = state.content.revision }
            state.expiry.land(at: now, until: limit)
            return (landing, state.content.joining(), state.feeds.endSyncs(by: mark.order, refusal: state.content.refusal))
        }
        for (entry, events) in feeds {
            if entry.status.state == .live { entry.feed?.noteLive(in: entry.phase) }
            report(events, of: entry.status.source)
        }
        if landing?.needsRefresh ?? false { wantRefresh() }
        watchExpiry()
        return join() ?? entry
    }

    /// Another value takes the place of the present one.
    func replace(_ entry: Entry, freshUntil limit: Timestamp?) {
        let now = clock.now
        let cut = CutEntry(entry, for: state.withLock(\.content.policy))
        let feeds = change { state in
            state.content.put(cut, at: now)
            state.caches.written = state.content.revision
            state.error = nil
            state.source = nil
            state.detail = nil
            state.expiry.land(at: now, until: limit)
            return state.feeds.turn(by: state.content.refusal)
        }
        for (entry, events) in feeds { report(events, of: entry.status.source) }
        watchExpiry()
    }

    /// The value was removed. Changes that are not written yet are dropped.
    func void() {
        change { state in
            state.content.void()
            state.caches.written = state.content.revision
            state.source = nil
            state.detail = nil
            state.expiry.void()
        }
    }
}

extension LiveKey.State {
    /// What a load found.
    ///
    /// - Parameter cut: the value of the reply, with its list.
    fileprivate mutating func take(_ reply: LoadReply, _ cut: CutEntry?, of key: Key, at now: Timestamp) {
        loads.isFetching = false
        let detail = reply.detail?.told
        switch reply.answer {
        case .value, .notFound:
            error = nil
            if let cut {
                adopt(cut, from: reply.source, isStale: false, isSubstitute: reply.isSubstitute, at: now)
                note(detail, of: cut)
            }
        case .stale:
            let hasFailed = reply.attempts.contains { $0.error != nil || $0.outcome == .timeout }
            error = hasFailed ? LoadError(key: key, kind: .everyTierFailed, attempts: reply.attempts) : nil
            if let cut {
                adopt(cut, from: reply.source, isStale: true, at: now)
                note(detail, of: cut)
            }
        case .none:
            error = nil
            let absence = CutEntry(.notFound(created: now), for: nil)
            adopt(absence, from: nil, isStale: false, at: now)
            note(detail, of: absence)
        case .failed(let isFinal):
            error = LoadError(key: key, kind: reply.failure(isFinal: isFinal), attempts: reply.attempts)
            // An expired copy is better than none, and will do to merge changes into.
            if !content.hasValue { self.detail = detail }
            if !content.hasValue, let cut {
                adopt(cut, from: reply.expired.first?.source, isStale: true, at: now)
                note(nil, of: cut)
            }
        }
    }

    /// What was said of `cut` where that is the value now.
    fileprivate mutating func note(_ detail: (any ReplyDetail)?, of cut: CutEntry) {
        if content.created == cut.entry.created { self.detail = detail }
    }

    /// What a cache holds, or an origin gave, unless what is here is newer.
    mutating func adopt(_ cut: CutEntry, from source: String?, isStale: Bool, isSubstitute: Bool = false, at now: Timestamp) {
        let (before, created, entry) = (content.revision, content.created, cut.entry)
        if isSubstitute {
            content.substitute(entry)
        } else {
            content.adopt(cut, isFollowed: feeds.isFollowing)
        }
        // The same value, found once more elsewhere, was read where it was found first.
        if content.revision != before || content.created != created { self.source = source }
        // It comes from a cache, or is on its way to them.
        if content.revision != before, !content.isMerged { caches.written = content.revision }
        // An origin's answer has landed before, with the limit of its copies.
        guard entry.stored != nil || isSubstitute, content.revision != before || content.created == entry.created else { return }
        expiry.adopt(storedAt: entry.stored ?? now, until: entry.freshUntil, isStale: isStale)
    }
}

extension LoadReply {
    /// What a live key makes of it: its value, or else an expired copy.
    fileprivate var found: Entry? {
        switch answer {
        case .value(let entry), .notFound(let entry), .stale(let entry, _): entry
        case .failed: expired.first?.entry
        case .none: nil
        }
    }
}
