import Synchronization

extension LiveKey {
    /// A load begins; ``endLoad(_:with:of:)`` takes the number.
    func beginLoad() -> UInt64 {
        change { state in
            state.lastLoad += 1
            state.loads.insert(state.lastLoad)
            return state.lastLoad
        }
    }

    /// The load ended, or was cancelled.
    func endLoad(_ load: UInt64, with reply: LoadReply?, of request: LoadRequest) {
        let isOfValue = request.policy.asksOrigins && request.policy.writes
        let cut = isOfValue ? reply?.found.map(cut) : nil
        change { state in
            state.loads.remove(load)
            // Without its origins a load says little, and what no cache may hold is the value of its caller alone. What was found before the key was removed or replaced is not its value any more; asked
            // under the lock, which a removal needs to void the value.
            guard let reply, isOfValue, request.permit?.isCurrent ?? true else { return }
            state.take(reply, cut, of: key, at: clock.now)
        }
        watchExpiry()
    }

    /// The list of `entry`, cut without the lock, where that will be the value.
    func cut(_ entry: Entry) -> CutEntry {
        let policy = state.withLock { $0.content.takes(entry, isFollowed: $0.isFollowed) ? $0.content.policy : nil }
        return CutEntry(entry, for: policy)
    }

    /// A new observer fetches the value; until a load ends, that counts as one.
    func beginFetch() {
        change { $0.isFetching = true }
    }

    /// That fetch ended; without an outcome, it was cancelled.
    ///
    /// - Parameter permit: taken before the fetch began.
    func endFetch(_ outcome: Outcome?, _ permit: Generations.WritePermit) {
        var entry: CutEntry?
        let composition = outcome?.composition?.told
        if case .value(let found) = outcome?.result { entry = cut(found) }
        change { state in
            state.isFetching = false
            guard let entry, permit.isCurrent else { return }
            state.adopt(entry, from: outcome?.source, isStale: outcome?.isStale ?? false, at: clock.now)
            state.note(composition, of: entry)
        }
        watchExpiry()
    }

    /// Looks in the caches of `pipeline` for a copy, once.
    func findBase(with pipeline: DataPipeline) {
        let mustLook = state.withLock { state in
            defer { state.hasSoughtBase = true }
            return !state.hasSoughtBase && !state.content.hasValue
        }
        guard mustLook else { return }
        let permit = pipeline.generations.permit(for: key)
        // Ends with the reads; cancelled when the pipelines are shut down.
        pipeline.background.adopt(
            Task {
                guard let (entry, source, isStale) = await pipeline.cached(self.key) else { return }
                self.adoptBase(entry, from: source, isStale: isStale, permit)
            })
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
        state.withLock { [clock] in $0.content.beginLoad(at: clock.now) }
    }

    /// It failed, or was given up.
    func endAsking(_ mark: LoadMark) {
        state.withLock { [clock] in $0.content.endLoad(mark, at: clock.now) }
    }

    /// It answered. Feeds that waited for a load that began after their stream are live from here on.
    ///
    /// - Parameters:
    ///   - source: the name of the origin in its pipeline.
    ///   - load: the load that asked; it counts as ended in the same moment, so that observers see one snapshot.
    ///   - limit: when the copies that caches make of it stop being fresh.
    ///   - composition: what it was made from; nil where it was not made from others.
    /// - Returns: the value as it is now: the answer with every later change, or what has taken its place.
    func land(
        _ entry: Entry, from source: String?, _ mark: LoadMark, of load: UInt64?, freshUntil limit: Timestamp?,
        madeFrom composition: Composition? = nil
    ) -> Entry {
        let now = clock.now
        let composition = composition?.told
        let (policy, present) = state.withLock { ($0.content.policy, $0.content.present) }
        let cut = CutEntry(entry, for: policy, after: present)
        let (landing, join, feeds) = change { state -> (Landing?, @Sendable () -> Entry?, [(feed: KeyFeed, events: [FeedEvent])]) in
            let before = state.content.revision
            guard let landing = state.content.land(cut, mark, at: now) else { return (nil, state.content.joining(), []) }
            if state.content.revision != before { state.news += 1 }
            if let load { state.loads.remove(load) }
            state.isFetching = false
            state.error = nil
            state.source = source
            state.composition = composition
            state.landed = now
            // Its load alone hands a whole to the caches, where it is still what the parts make.
            if composition != nil, !state.content.isMerged { state.written = state.content.revision }
            state.setFresh(until: limit, isStale: false)
            return (landing, state.content.joining(), state.endSyncs(by: mark.order))
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
            state.written = state.content.revision
            state.error = nil
            state.source = nil
            state.composition = nil
            state.landed = now
            state.setFresh(until: limit, isStale: false)
            return state.turnFeeds()
        }
        for (entry, events) in feeds { report(events, of: entry.status.source) }
        watchExpiry()
    }

    /// The value was removed. Changes that are not written yet are dropped.
    func void() {
        change { state in
            state.content.void()
            state.written = state.content.revision
            state.source = nil
            state.composition = nil
            state.landed = nil
            state.setFresh(until: nil, isStale: false)
        }
    }

    /// Notes when the value stops being fresh.
    private func watchExpiry() {
        // Again where another limit came while the alarm was set.
        while !setExpiry() {}
    }

    /// Sets the alarm for the limit that the value has; false where it has another one by then.
    private func setExpiry() -> Bool {
        let (limit, needless) = state.withLock { state -> (Timestamp?, Alarm?) in
            guard let limit = state.watchedLimit else { return (nil, nil) }
            defer { state.expiry = nil }
            return (limit, state.expiry)
        }
        if let needless { clock.alarms.cancel(needless) }
        guard let limit else { return true }
        let alarm = clock.alarms.set(at: limit) { [weak self] in self?.expire() }
        let (isSet, late) = state.withLock { state -> (Bool, Alarm?) in
            guard state.watchedLimit == limit else { return (false, alarm) }
            defer { state.expiry = alarm }
            return (true, state.expiry)
        }
        if let late { clock.alarms.cancel(late) }
        return isSet
    }

    private func expire() {
        let now = clock.now
        let confirmedAt = confirmation.confirmedAt
        change { state in
            state.expiry = nil
            guard let limit = state.freshUntil, limit <= now else { return }
            // A feed that confirms copies makes them younger.
            if let confirmedAt, let landed = state.landed, landed < confirmedAt, now < limit + confirmedAt.duration(since: landed) {
                state.freshUntil = limit + confirmedAt.duration(since: landed)
                state.landed = confirmedAt
            } else {
                state.isStale = true
            }
        }
        watchExpiry()
    }
}

extension LiveKey.State {
    /// What a load found.
    ///
    /// - Parameter cut: the value of the reply, with its list.
    fileprivate mutating func take(_ reply: LoadReply, _ cut: CutEntry?, of key: Key, at now: Timestamp) {
        isFetching = false
        let composition = reply.composition?.told
        switch reply.answer {
        case .value, .notFound:
            error = nil
            if let cut {
                adopt(cut, from: reply.source, isStale: false, isSubstitute: reply.isSubstitute, at: now)
                note(composition, of: cut)
            }
        case .stale:
            let hasFailed = reply.attempts.contains { $0.error != nil || $0.outcome == .timeout }
            error = hasFailed ? LoadError(key: key, kind: .everyTierFailed, attempts: reply.attempts) : nil
            if let cut {
                adopt(cut, from: reply.source, isStale: true, at: now)
                note(composition, of: cut)
            }
        case .none:
            error = nil
            let absence = CutEntry(.notFound(created: now), for: nil)
            adopt(absence, from: nil, isStale: false, at: now)
            note(composition, of: absence)
        case .failed(let isFinal):
            error = LoadError(key: key, kind: reply.failure(isFinal: isFinal), attempts: reply.attempts)
            // An expired copy is better than none, and will do to merge changes into.
            if !content.hasValue { self.composition = composition }
            if !content.hasValue, let cut {
                adopt(cut, from: reply.expired.first?.source, isStale: true, at: now)
                note(nil, of: cut)
            }
        }
    }

    /// What was said of `cut` where that is the value now.
    fileprivate mutating func note(_ composition: Composition?, of cut: CutEntry) {
        if content.created == cut.entry.created { self.composition = composition }
    }

    /// What a cache holds, or an origin gave, unless what is here is newer.
    mutating func adopt(_ cut: CutEntry, from source: String?, isStale: Bool, isSubstitute: Bool = false, at now: Timestamp) {
        let (before, created, entry) = (content.revision, content.created, cut.entry)
        if isSubstitute {
            content.substitute(entry)
        } else {
            content.adopt(cut, isFollowed: isFollowed)
        }
        // The same value, found once more elsewhere, was read where it was found first.
        if content.revision != before || content.created != created { self.source = source }
        // It comes from a cache, or is on its way to them.
        if content.revision != before, !content.isMerged { written = content.revision }
        // An origin's answer has landed before, with the limit of its copies.
        guard entry.stored != nil || isSubstitute, content.revision != before || content.created == entry.created else { return }
        if landed == nil { landed = entry.stored ?? now }
        setFresh(until: entry.freshUntil, isStale: isStale)
    }

    /// When the value stops being fresh, where observers have to see that.
    fileprivate var watchedLimit: Timestamp? { isStale || isOver || observers.isEmpty ? nil : freshUntil }

    mutating func setFresh(until limit: Timestamp?, isStale: Bool) {
        (freshUntil, self.isStale) = (limit, isStale)
    }

    /// The feeds that waited for a load that began after `number` are live, where the value is one that they change. Returns those that have
    /// another state now, with what there is to report.
    fileprivate mutating func endSyncs(by number: UInt64) -> [(feed: KeyFeed, events: [FeedEvent])] {
        var changed: [(feed: KeyFeed, events: [FeedEvent])] = []
        for index in feeds.indices where feeds[index].awaited.map({ $0 < number }) ?? false {
            feeds[index].awaited = nil
            feeds[index].owesLoad = false
            feeds[index].hasBeenLive = true
            let events = feeds[index].enter(.live)
            changed.append((feeds[index], [.synced] + events))
        }
        return changed + turnFeeds()
    }

    /// Feeds that merge are off while the list is too long for that, and live again when it is not. Returns those that have another state now.
    mutating func turnFeeds() -> [(feed: KeyFeed, events: [FeedEvent])] {
        feeds.indices.compactMap { index in
            guard feeds[index].spec.merging != nil else { return nil }
            switch (feeds[index].status.state, content.refusal) {
            case (.live, let reason?):
                let events = feeds[index].enter(.off, reason: reason)
                feeds[index].hasNoList = true
                return (feeds[index], events)
            case (.off, nil) where feeds[index].hasNoList:
                let events = feeds[index].enter(.live)
                return (feeds[index], events)
            default: return nil
            }
        }
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
