/// The shortest way to an answer: the first tier, when it answers without waiting, before there is a load.
///
/// A fresh copy in memory allocates nothing and takes no lock but the source's own. What is read on the calling thread, as a file, is a flight
/// that others can join meanwhile.
package final class HitPath: Sendable {
    private let tier: Tier
    private let source: any Source
    private let queue: WriteQueue
    private let mayHavePending: Bool
    /// Whether a cache below may have a fresh copy where this one's is stale.
    private let hasCacheBelow: Bool
    /// Whether it is memory.
    package let isImmediate: Bool
    package let name: String
    private let freshness: Freshness
    private let confirmation: Confirmation?
    private let clock: PipelineClock
    private let observer: PipelineEvent.Observer?
    private let flights: Flights
    private let followers: Followers
    private let closing: Closing
    private let permit: @Sendable (Key) -> Generations.WritePermit

    /// Nil when the first of `tiers` may need a wait, when copies in memory must be checked, or when they go to other caches.
    ///
    /// - Parameters:
    ///   - flights: the loads that change what it has.
    ///   - followers: may know more of a key than the tier.
    ///   - permit: gives what a load needs before a tier is asked whose answer may be written.
    init?(
        _ tiers: [Tier], storingFirstIn targets: [String], flights: Flights, followers: Followers, closing: Closing,
        permitting permit: @escaping @Sendable (Key) -> Generations.WritePermit
    ) {
        guard let tier = tiers.first, tier.policy.reads, let queue = tier.queue,
            tier.isImmediate ? !tier.rules.checksPayload : tier.answersAtOnce,
            !tiers.contains(where: { $0.isCache && $0.policy.writes && targets.contains($0.name) })
        else { return nil }
        self.tier = tier
        (source, isImmediate) = (tier.source, tier.isImmediate)
        self.queue = queue
        mayHavePending = tier.mayHavePending
        hasCacheBelow = tiers.dropFirst().contains { $0.isCache && $0.policy.reads }
        name = tier.name
        (freshness, confirmation) = (tier.rules.freshness, tier.rules.confirmation)
        clock = tier.clock
        observer = tier.observer
        (self.flights, self.followers, self.closing, self.permit) = (flights, followers, closing, permit)
    }

    /// The fresh copy of `key`. Nil when there is more to do; notes then what the tier has, where it could be asked.
    @inline(__always)
    func outcome(for key: Key, noting looked: inout Looked?) -> Outcome? {
        if mayHavePending || queue.hasFailedRemovals { return nil }
        let ended = flights.endedCount
        let found: Entry
        do {
            guard let entry = try source.peek(key) else {
                looked = .missing(ended: ended)
                return nil
            }
            found = entry
        } catch {
            return nil
        }
        if let outcome = fresh(found, for: key) { return outcome }
        looked = Looked(found, ended: ended)
        return nil
    }

    /// The fresh copy of the key of this text. Nil when there is more to do; notes then what the tier has for it, and the key.
    @inline(__always)
    func outcome(forText text: Span<UInt8>, hash: UInt64, noting looked: inout (key: Key, Looked)?) -> Outcome? {
        if mayHavePending || queue.hasFailedRemovals { return nil }
        let ended = flights.endedCount
        guard let held = try? source.peek(text: text, hash: hash) else { return nil }
        if let outcome = fresh(held.entry, for: held.key) { return outcome }
        looked = (held.key, Looked(held.entry, ended: ended))
        return nil
    }

    @inline(__always)
    private func fresh(_ found: Entry, for key: Key) -> Outcome? {
        var now = clock.recent
        guard let limit = limit(of: found, for: key, at: &now) else { return nil }
        if let observer { report(found, freshUntil: limit, for: key, at: now, to: observer) }
        return Outcome(hit: found, freshUntil: limit, in: name, for: key, at: now)
    }

    @inline(never)
    private func report(
        _ found: borrowing Entry, freshUntil limit: Timestamp?, for key: Key, at now: Timestamp, to observer: PipelineEvent.Observer
    ) {
        Outcome(hit: copy found, freshUntil: limit, in: name, for: key, at: now).reportAtHand(to: observer)
    }

    /// Until when a copy is fresh; nil for one that is not. The limit itself is nil where there is none.
    ///
    /// - Parameter now: a moment that ``PipelineClock/recent`` gave; becomes the exact time where that decides.
    @inline(__always)
    private func limit(of found: borrowing Entry, for key: Key, at now: inout Timestamp) -> Timestamp?? {
        // What is fresh for longer needs no exact time.
        if found.created <= now, found.variant == nil, confirmation?.hides(found) != true,
            let limit = freshness.limit(ofFresh: found, at: now.afterTick)
        {
            return .some(limit)
        }
        return exactLimit(of: found, for: key, at: &now)
    }

    @inline(never)
    private func exactLimit(of found: borrowing Entry, for key: Key, at now: inout Timestamp) -> Timestamp?? {
        now = clock.now
        let unconfirmed = freshness.unconfirmed(found, by: confirmation)
        // Whether one of several variants is the one to serve, only its origin can tell.
        guard tier.isCurrent(copy found, of: key),
            case .fresh(let limit) = freshness.verdict(ofCopy: found, at: now, unconfirmedSince: unconfirmed)
        else { return nil }
        return .some(limit)
    }

    /// The fresh copy of `key`, for what is made from it: nil also where an observer may know better.
    package func immediate(_ key: Key) -> Outcome? {
        var looked: Looked?
        return closing.isClosed || followers.follow(key) ? nil : outcome(for: key, noting: &looked)
    }

    /// The fresh copy of `key` as the cache has it, with the limit that holds. Observers receive nothing.
    ///
    /// - Parameter now: a moment that ``PipelineClock/recent`` gave; becomes the exact time where that decides.
    package func immediateCopy(_ key: Key, at now: inout Timestamp) -> Entry? {
        if mayHavePending || queue.hasFailedRemovals || closing.isClosed || followers.follow(key) { return nil }
        guard var found = try? source.peek(key), let limit = limit(of: found, for: key, at: &now) else { return nil }
        found.freshUntil = limit
        return found
    }

    /// What a fetch of `copy` would have been.
    package func outcome(of copy: Entry, for key: Key, at now: Timestamp) -> Outcome {
        Outcome(hit: copy, freshUntil: copy.freshUntil, in: name, for: key, at: now)
    }

    /// The tier's reply, when that is an answer: a value (also due for refresh, waiting to be written, or stale where no cache below may have a
    /// fresh one), or a `not_found`. Else notes in the trail what the tier has.
    func answer(_ call: Call, _ trail: inout Trail, _ standing: inout Standing) -> LoadReply? {
        if isImmediate { return followers.lays(over: call.key) ? nil : read(call, &trail) }
        // Nothing would end such a read in time, and an observer may know better.
        guard call.deadline == nil, !followers.follow(call.key) else { return nil }
        standing.permit = permit(call.key)
        return flights.begin(call, &trail, &standing, read)
    }

    private func read(_ call: Call, _ trail: inout Trail) -> LoadReply? {
        guard let reply = tier.readNow(call, &trail, after: flights.endedCount), reply.isAnswer, !hasCacheBelow || !reply.isStale else {
            return nil
        }
        tier.report(reply, of: call.key)
        return reply
    }
}

extension Timestamp {
    /// A moment by which what ``PipelineClock/recent`` gave is past.
    @inline(__always)
    fileprivate var afterTick: Timestamp { Timestamp(nanoseconds: nanoseconds.addingSaturated(PipelineClock.tick)) }
}

extension Outcome {
    /// Reports an answer that took no time, and what was tried for it.
    @inline(never)
    package func reportAtHand(to observer: PipelineEvent.Observer) {
        for attempt in attempts { observer(.attempt(attempt, key: key)) }
        observer(.fetch(self, duration: .zero))
    }
}
