import Pipeline
import PipelineLive
import Synchronization

extension WholeIndex {
    /// How many wholes expire at a time. Where there are more, the caller goes on, and they expire in the background.
    private static let mostAtOnce = 256

    /// Parts of these wholes have changed: their copies expire, also of what is made from them, and observers fetch them again. Slow caches do
    /// that in their turn, and serve nothing of it meanwhile.
    ///
    /// - Parameter waiting: whether to return when all caches have done it, or have failed to, or took their time.
    func expire(_ affected: [Affected], waiting: Bool) async {
        guard let first = affected.first else { return }
        guard !waiting, affected.count > Self.mostAtOnce, let owner = owner(of: first.whole) else {
            return await expireAll(affected, waiting: waiting)
        }
        // Ends with the last of them.
        owner.background.adopt(Task { await self.expireAll(affected, waiting: false) })
    }

    /// As ``expire(_:waiting:)``, and never in the background.
    func expireAll(_ affected: [Affected], waiting: Bool) async {
        var rest = Self.ordered(affected)[...]
        var waits: [(Countdown, until: Timestamp, clock: PipelineClock)] = []
        while !rest.isEmpty {
            let chunk = rest.prefix(Self.mostAtOnce)
            rest = rest.dropFirst(Self.mostAtOnce)
            let (wholes, next) = change { state in
                var (wholes, next) = state.settle(chunk)
                // Those that are made from them at the same time, where they are not many.
                while !next.isEmpty, wholes.count + next.count <= Self.mostAtOnce {
                    let more = state.settle(next)
                    wholes.merge(more.wholes) { $0 || $1 }
                    next = more.next
                }
                return (wholes, next)
            }
            let (late, wait) = await expireCopies(of: wholes)
            rest += Self.ordered(next + late)
            if let wait, waiting { waits.append(wait) }
        }
        for (countdown, end, clock) in waits { await countdown.wait(until: end, on: clock) }
    }

    /// In the order in which they were assembled, which is the same in every process.
    private static func ordered(_ affected: [Affected]) -> [Affected] {
        affected.sorted { left, right in
            if left.number != right.number { return (left.number ?? 0) < (right.number ?? 0) }
            return left.whole.text < right.whole.text
        }
    }

    /// Expires the copies of these wholes.
    ///
    /// - Parameter wholes: true for those whose answers are worthless that are still loaded.
    /// - Returns: what was made from copies meanwhile, and what to wait for where slow caches are not ready.
    private func expireCopies(
        of wholes: [Key: Bool]
    ) async -> (late: [Affected], wait: (Countdown, until: Timestamp, clock: PipelineClock)?) {
        let owned = wholes.sorted { $0.key.text < $1.key.text }.compactMap { key, isVoid in
            owner(of: key).map { (key: key, isVoid: isVoid, owner: $0, caches: $0.caches) }
        }
        guard let background = owned.first?.owner.background, let clock = owned.first?.owner.clock else { return ([], nil) }
        let void = Dictionary(grouping: owned.filter(\.isVoid)) { ObjectIdentifier($0.owner) }.values.map { ($0[0].owner, $0.map(\.key)) }
        // Before the first copy of any of them expires, and until the last one has: what is loaded meanwhile may be made from a copy.
        for (owner, keys) in void { owner.beginExpiring(keys) }
        let rest = Countdown(owned.reduce(0) { $0 + $1.caches.count })
        for whole in owned { for cache in whole.caches { await cache.expire(whole.key) { rest.count() } } }
        // No cache serves a copy any more. What was made from one until now has an old part, and expires, too.
        let late = change { $0.usersMeanwhile(of: owned.lazy.map(\.key)) }
        for (owner, keys) in void { owner.endExpiring(keys) }
        // What is assembled already from what the parts are now, observers get anyway.
        for whole in owned where whole.isVoid { whole.owner.lives[whole.key]?.fetchAgainForObservers() }
        if rest.isOver { return (late, nil) }
        let limit = clock.now + (owned.lazy.flatMap(\.caches).map(\.policy.timeLimit).max() ?? .zero)
        // Ends with the slowest cache, or its time: there is work under way until then.
        background.adopt(Task { await rest.wait(until: limit, on: clock) })
        return (late, (rest, limit, clock))
    }
}

extension Invalidation {
    /// What is known of these keys is not stored any more, and what is loaded from now on is not before ``endExpiring(_:)``.
    fileprivate func beginExpiring(_ keys: [Key]) {
        for key in keys { _ = generations.beginReplacement(of: key) }
        detach(keys)
    }

    fileprivate func endExpiring(_ keys: [Key]) {
        for key in keys { generations.endReplacement(of: key) }
        detach(keys)
    }

    private func detach(_ keys: [Key]) {
        let keys = Set(keys)
        detach { keys.contains($0) }
    }
}

/// So many endings that are waited for together.
private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let ended = Mutex<(isOver: Bool, waiting: [Race<Void>])>((false, []))

    init(_ count: Int) { left = Atomic(count) }

    var isOver: Bool { left.load(ordering: .acquiring) <= 0 }

    /// One has come.
    func count() {
        guard left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        let waiting = ended.withLock { ended in
            ended.isOver = true
            return ended.waiting
        }
        for race in waiting { race.finish(.success(())) }
    }

    /// Returns when all have come, at `end`, and when the task is cancelled.
    func wait(until end: Timestamp, on clock: PipelineClock) async {
        let race = Race<Void>()
        let isOver = ended.withLock { ended in
            if !ended.isOver { ended.waiting.append(race) }
            return ended.isOver
        }
        if !isOver { try? await race.value(until: end, on: clock) }
    }
}
