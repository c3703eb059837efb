/// The time for which a tier's copies are fresh, and their worth after that: the one place that decides it.
///
/// Times are numbers of nanoseconds: every hit asks, and a `Duration` on the way would be a third of its cost.
package final class Freshness: Sendable {
    private let ttl: Int64?
    private let notFoundTTL: Int64?
    private let refreshAhead: Double?
    private let windows: StaleWindows

    package init(_ tier: TierPolicy, _ pipeline: PipelinePolicy) {
        ttl = tier.ttl?.saturatedNanoseconds
        notFoundTTL = [pipeline.notFoundTTL?.saturatedNanoseconds, ttl].compactMap(\.self).min()
        refreshAhead = pipeline.refreshAhead
        windows = StaleWindows(pipeline)
    }

    /// The verdict on `entry` at `now`.
    ///
    /// - Parameters:
    ///   - unconfirmed: since when the copy may have missed a message of another process; nil for one that has not.
    ///   - format: what the payload must be; nil where it was checked when it was written.
    package func verdict(
        of entry: Entry?, at now: Timestamp, unconfirmedSince unconfirmed: Timestamp? = nil, checking format: PayloadFormat? = nil
    )
        -> Verdict
    {
        guard let entry else { return .missing }
        if let format, let payload = entry.payload, let problem = format.problem(of: payload) { return .invalid(problem) }
        return verdict(ofCopy: entry, at: now, unconfirmedSince: unconfirmed)
    }

    /// The verdict on a copy whose payload needs no check. The copy is borrowed: counting the references of a copy would cost as much as
    /// the rest.
    @inline(__always)
    package func verdict(ofCopy entry: borrowing Entry, at now: Timestamp, unconfirmedSince unconfirmed: Timestamp?) -> Verdict {
        let limit = unconfirmed ?? limit(of: entry)
        if isFresh(entry, until: limit, at: now) { return .fresh(until: limit) }
        guard entry.isWithin(limit, at: now) else {
            return staleVerdict(entry, limit: limit, at: now)
        }
        return entry.isNotFound ? .notFound(until: limit) : .due(until: limit)
    }

    @inline(__always)
    private func isFresh(_ entry: borrowing Entry, until limit: Timestamp?, at now: Timestamp) -> Bool {
        entry.isWithin(limit, at: now) && !entry.isNotFound && !isDue(entry, until: limit, at: now)
    }

    /// The moment until which a copy is fresh that has missed no message; nil if its verdict is another. The limit itself is nil where
    /// there is none.
    @inline(__always)
    package func limit(ofFresh entry: borrowing Entry, at now: Timestamp) -> Timestamp?? {
        let limit = limit(of: entry)
        return isFresh(entry, until: limit, at: now) ? .some(limit) : nil
    }

    /// The number of nanoseconds for which a copy is fresh after it was stored; nil without a limit. A `not_found` is remembered for the
    /// shorter of `not_found_ttl` and the ttl.
    @inline(__always)
    package func timeToLive(of entry: borrowing Entry) -> Int64? { entry.isNotFound ? notFoundTTL : ttl }

    /// Until when a copy that the cache holds is fresh: as long as it says, and never longer than the ttl after it was stored.
    @inline(__always)
    package func limit(of entry: borrowing Entry) -> Timestamp? {
        guard let ttl = timeToLive(of: entry) else { return entry.freshUntil }
        let byPolicy = Timestamp(nanoseconds: (entry.stored ?? entry.created).nanoseconds.addingSaturated(ttl))
        guard let own = entry.freshUntil, own < byPolicy else { return byPolicy }
        return own
    }

    /// Since when `entry` may have missed a message of another process; nil for one that has not, or had expired before.
    @inline(__always)
    func unconfirmed(_ entry: borrowing Entry, by confirmation: Confirmation?) -> Timestamp? {
        guard let confirmation, confirmation.hides(entry) else { return nil }
        var copy = copy entry
        copy.freshUntil = limit(of: entry)
        return confirmation.limit(of: copy)
    }

    /// What a copy is worth that is not within its limit: it was created later than `now`, or the limit has passed.
    @inline(never)
    private func staleVerdict(_ entry: borrowing Entry, limit: Timestamp?, at now: Timestamp) -> Verdict {
        guard entry.created <= now, let limit else { return .early }
        let isAllowed = windows.allowWhileRevalidating(entry, expiredSince: limit, at: now)
        return isAllowed ? .stale(since: limit) : .expired(since: limit)
    }

    /// Whether a copy that expired then is worth keeping: it can be confirmed, or a window allows to serve it.
    func isOfUse(_ copy: Entry, expiredSince limit: Timestamp, at now: Timestamp) -> Bool {
        if copy.isNotFound { return false }
        return copy.hasValidator || windows.allowWhileRevalidating(copy, expiredSince: limit, at: now)
            || windows.allowAfterError(copy, expiredSince: limit, at: now)
    }

    @inline(__always)
    private func isDue(_ entry: borrowing Entry, until limit: Timestamp?, at now: Timestamp) -> Bool {
        guard let refreshAhead, let limit, let stored = entry.stored else { return false }
        let life = Double(limit.nanoseconds.subtractingSaturated(stored.nanoseconds))
        guard Double(now.nanoseconds.subtractingSaturated(stored.nanoseconds)) >= life * refreshAhead else { return false }
        // What does not change while it is fresh needs no refresh before (RFC 8246).
        return !(entry.cacheControl?.flags.contains(.immutable) ?? false)
    }
}
