import Synchronization

/// What a write that waits is to know when its turn comes and when it ends.
final class PendingWrite: Sendable {
    private let place: TierReference
    private let key: Key
    /// Nobody reads it any more once the outcome of its fetch is gone.
    private weak let log: WriteLog?
    private let index: Int32
    private let isPut: Bool
    private let isUnderWay: Bool
    private let comparesValues: Bool
    private let hasFailed = Atomic(false)
    /// The lease under which it was loaded.
    private let lease: Lease?

    /// - Parameters:
    ///   - index: of its record in `log`.
    ///   - isUnderWay: whether who settles the log waits for its end.
    ///   - comparesValues: whether the cache may hold the same value.
    init(in place: TierReference, for request: LoadRequest, log: WriteLog, index: Int, isUnderWay: Bool, comparesValues: Bool) {
        self.place = place
        key = request.key
        self.log = log
        self.index = Int32(index)
        isPut = request.ticket?.isReplacement ?? false
        self.isUnderWay = isUnderWay
        self.comparesValues = comparesValues
        lease = request.leases[place.tier.name]
    }

    /// Whether there is a reason to look at what the cache holds before it is written.
    var maySpare: Bool { comparesValues || lease != nil }

    /// Finds out why there is nothing to write: the cache holds the same value, fresh, and a write would only cost; or another process
    /// may have taken over the lease under which this was loaded, and has stored a newer value. Asked in the write's turn, so that a slow cache
    /// holds up nobody.
    func needlessness(of copy: Entry) async -> WriteLane.Ending? {
        let tier = place.tier
        let isLate = lease.map { tier.queue?.leases.hasRunOut($0, at: tier.clock.now) ?? true } ?? false
        guard comparesValues || isLate, tier.queue?.isDistrusted(key) != true, let held = try? await tier.source.read(key)
        else { return nil }
        if comparesValues, tier.isSame(held, as: copy) { return .unchanged }
        return isLate && held.created > copy.created && tier.isFresh(held) ? .superseded : nil
    }

    /// Notes how it ended.
    func end(_ ending: WriteLane.Ending) {
        let isFailure = if case .failed = ending { true } else { false }
        let hadFailed = hasFailed.exchange(isFailure, ordering: .relaxed)
        place.tier.end(ending, for: key, isPut: isPut, hadFailed: hadFailed) { record in
            log?.update(Int(index), to: record, isEnd: isUnderWay)
        }
    }
}
