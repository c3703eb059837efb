import Synchronization

/// What a waiting write needs when its turn comes and when it ends.
final class PendingWrite: Sendable {
    private let place: TierReference
    private let key: Key
    /// Weak: without the outcome of its fetch there is no reader.
    private weak let log: WriteLog?
    private let index: Int32
    private let isPut: Bool
    private let isUnderWay: Bool
    private let isPromoted: Bool
    private let mayHoldSame: Bool
    private let isProbe: Bool
    private let known: Known?
    private let hasFailed = Atomic(false)

    /// What only few writes have: in an object of its own, since many writes wait.
    private final class Known: Sendable {
        /// What the cache is known to hold.
        let held: Entry?
        /// The lease under which the value was loaded.
        let lease: Lease?

        init(held: Entry?, lease: Lease?) {
            self.held = held
            self.lease = lease
        }
    }

    /// - Parameters:
    ///   - index: of its record in `log`.
    ///   - isUnderWay: whether settling the log waits for its end.
    ///   - held: what the cache is known to hold. It is read where that is not known, but not where the fetch found nothing of use in it.
    ///   - isPromoted: whether the copy comes from another cache.
    ///   - mayHoldSame: whether the cache may hold the same value.
    ///   - isProbe: whether it is the one request of a half-open circuit.
    init(
        in place: TierReference, for key: Key, _ standing: Standing, log: WriteLog, index: Int, isUnderWay: Bool, held: Entry?,
        isPromoted: Bool, mayHoldSame: Bool, isProbe: Bool
    ) {
        self.place = place
        self.key = key
        self.log = log
        self.index = Int32(index)
        isPut = standing.permit?.isReplacement ?? false
        self.isUnderWay = isUnderWay
        self.isPromoted = isPromoted
        self.mayHoldSame = mayHoldSame
        self.isProbe = isProbe
        let lease = standing.leases[place.tier.name]
        known = held == nil && lease == nil ? nil : Known(held: held, lease: lease)
    }

    /// Replaces the whole write by less where that is enough, when its turn comes; nil where the whole is written in any case.
    var sparing: WriteLane.Operation.Sparing? {
        guard mayHoldSame || known?.lease != nil else { return nil }
        return { copy in if let copy { try await self.spare(copy) } else { nil } }
    }

    /// Decides what to write: only the times, when the cache holds the same value; nothing, when that was confirmed no earlier, or when
    /// another process may have taken over the lease of this load and has stored a newer value. Runs in the write's turn, so that a slow
    /// cache delays no fetch.
    private func spare(_ copy: Entry) async throws -> WriteLane.Ending? {
        let tier = place.tier
        let isLate = known?.lease.map { tier.queue?.leases.hasRunOut($0, at: tier.clock.now) ?? true } ?? false
        guard mayHoldSame || isLate, tier.queue?.failedRemovals.contains(key) != true, let cache = tier.queue?.source else { return nil }
        var present = isLate ? nil : known?.held
        if present == nil { present = try? await tier.source.read(key) }
        guard let present else { return nil }
        if mayHoldSame, tier.isSame(present, as: copy) {
            if tier.isConfirmed(present, since: copy, isPromoted: isPromoted) { return .unchanged }
            return try await cache.renew(present, as: copy, for: key) ? .renewed : nil
        }
        return isLate && present.created > copy.created && tier.isFresh(present) ? .superseded : nil
    }

    /// Notes how it ended.
    func end(_ ending: WriteLane.Ending) {
        let isFailure = if case .failed = ending { true } else { false }
        let hadFailed = hasFailed.exchange(isFailure, ordering: .relaxed)
        // A failure has decided for the circuit.
        place.tier.end(ending, for: key, isPut: isPut, hadFailed: hadFailed, isProbe: isProbe && !hadFailed) { record in
            log?.update(Int(index), to: record, isEnd: isUnderWay)
        }
    }
}
