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
        change { state in
            state.loads.remove(load)
            // Without its origins a load says little. What was found before the key was removed or replaced is not its value any more; asked
            // under the lock, which a removal needs to void the value.
            guard let reply, request.policy.asksOrigins, request.permit?.isCurrent ?? true else { return }
            state.take(reply, of: key, at: clock.now)
        }
        watchExpiry()
    }

    /// A new observer fetches the value; until a load ends, that counts as one.
    func beginFetch() {
        change { $0.isFetching = true }
    }

    /// That fetch ended; without an outcome, it was cancelled.
    ///
    /// - Parameter permit: taken before the fetch began.
    func endFetch(_ outcome: Outcome?, _ permit: Generations.WritePermit) {
        change { state in
            state.isFetching = false
            guard case .value(let entry) = outcome?.result, permit.isCurrent else { return }
            state.adopt(entry, isStale: outcome?.isStale ?? false, at: clock.now)
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
    ///   - load: the load that asked; it counts as ended in the same moment, so that observers see one snapshot.
    ///   - limit: when the copies that caches make of it stop being fresh.
    /// - Returns: the value as it is now: the answer with every later change, or what has taken its place.
    func land(_ entry: Entry, _ mark: LoadMark, of load: UInt64?, freshUntil limit: Timestamp?) -> Entry {
        let now = clock.now
        let (landing, join, events) = change { state -> (Landing?, @Sendable () -> Entry?, [FeedEvent]) in
            let before = state.content.revision
            guard let landing = state.content.land(entry, mark, at: now) else { return (nil, state.content.joining(), []) }
            if state.content.revision != before { state.news += 1 }
            if let load { state.loads.remove(load) }
            state.isFetching = false
            state.error = nil
            state.landed = now
            state.setFresh(until: limit, isStale: false)
            return (landing, state.content.joining(), state.endSyncs(by: mark.order))
        }
        report(events)
        if landing?.needsRefresh ?? false { wantRefresh() }
        watchExpiry()
        return join() ?? entry
    }

    /// Another value takes the place of the present one.
    func replace(_ entry: Entry, freshUntil limit: Timestamp?) {
        let now = clock.now
        change { state in
            state.content.put(entry, at: now)
            state.written = state.content.revision
            state.error = nil
            state.landed = now
            state.setFresh(until: limit, isStale: false)
        }
        watchExpiry()
    }

    /// The value was removed. Changes that are not written yet are dropped.
    func void() {
        change { state in
            state.content.void()
            state.written = state.content.revision
            state.landed = nil
            state.setFresh(until: nil, isStale: false)
        }
    }

    /// Notes when the value stops being fresh.
    private func watchExpiry() {
        let (limit, needless) = state.withLock { state -> (Timestamp?, Alarm?) in
            guard let limit = state.freshUntil, !state.isStale, !state.isOver, !state.observers.isEmpty else { return (nil, nil) }
            defer { state.expiry = nil }
            return (limit, state.expiry)
        }
        if let needless { clock.alarms.cancel(needless) }
        guard let limit else { return }
        let alarm = clock.alarms.set(at: limit) { [weak self] in self?.expire() }
        let late = state.withLock { state -> Alarm? in
            defer { state.expiry = alarm }
            return state.expiry
        }
        if let late { clock.alarms.cancel(late) }
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
    fileprivate mutating func take(_ reply: LoadReply, of key: Key, at now: Timestamp) {
        isFetching = false
        switch reply.answer {
        case .value(let entry), .notFound(let entry):
            error = nil
            adopt(entry, isStale: false, isSubstitute: reply.isSubstitute, at: now)
        case .stale(let entry, _):
            let hasFailed = reply.attempts.contains { $0.error != nil || $0.outcome == .timeout }
            error = hasFailed ? LoadError(key: key, kind: .everyTierFailed, attempts: reply.attempts) : nil
            adopt(entry, isStale: true, at: now)
        case .none:
            error = nil
            adopt(.notFound(created: now), isStale: false, at: now)
        case .failed(let isFinal):
            error = LoadError(key: key, kind: reply.failure(isFinal: isFinal), attempts: reply.attempts)
            // An expired copy is better than none, and will do to merge changes into.
            if !content.hasValue, let copy = reply.expired.first { adopt(copy.entry, isStale: true, at: now) }
        }
    }

    /// What a cache holds, or an origin gave, unless what is here is newer.
    mutating func adopt(_ entry: Entry, isStale: Bool, isSubstitute: Bool = false, at now: Timestamp) {
        let before = content.revision
        if isSubstitute {
            content.substitute(entry)
        } else {
            content.adopt(entry, isFollowed: isFollowed)
        }
        // It comes from a cache, or is on its way to them.
        if content.revision != before, !content.isMerged { written = content.revision }
        // An origin's answer has landed before, with the limit of its copies.
        guard entry.stored != nil || isSubstitute, content.revision != before || content.created == entry.created else { return }
        if landed == nil { landed = entry.stored ?? now }
        setFresh(until: entry.freshUntil, isStale: isStale)
    }

    mutating func setFresh(until limit: Timestamp?, isStale: Bool) {
        (freshUntil, self.isStale) = (limit, isStale)
    }

    /// The feeds that waited for a load that began after `number` are live.
    fileprivate mutating func endSyncs(by number: UInt64) -> [FeedEvent] {
        var events: [FeedEvent] = []
        for index in feeds.indices where feeds[index].awaited.map({ $0 < number }) ?? false {
            feeds[index].awaited = nil
            feeds[index].owesLoad = false
            feeds[index].hasBeenLive = true
            events.append(FeedEvent(feeds[index].status.source, .synced))
            events += feeds[index].enter(.live)
        }
        return events
    }
}
