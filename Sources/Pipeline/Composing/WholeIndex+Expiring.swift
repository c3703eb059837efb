import Synchronization

extension WholeIndex {
    /// How many wholes expire before the caller goes on; the others do in the background.
    private static let mostAtOnce = 256

    /// Parts of these wholes have changed: their copies expire, and observers fetch them again. Slow caches do that in their turn, and serve
    /// nothing of it meanwhile.
    ///
    /// - Parameters:
    ///   - wholes: true for those whose answers are worthless that are still loaded, or not written yet.
    ///   - waiting: whether to return when all caches have done it, or have failed to, or took their time.
    func expire(_ wholes: Affected, waiting: Bool) async {
        let owned = wholes.sorted { $0.key.text < $1.key.text }.compactMap { key, isVoid in
            owner(of: key).map { (key: key, isVoid: isVoid, owner: $0, caches: $0.caches) }
        }
        guard let background = owned.first?.owner.background, let clock = owned.first?.owner.clock else { return }
        let void = Dictionary(grouping: owned.filter(\.isVoid)) { ObjectIdentifier($0.owner) }.values.map { ($0[0].owner, $0.map(\.key)) }
        // Before the first copy of any of them expires, and until the last one has: what is loaded meanwhile may be made from a copy.
        for (owner, keys) in void { owner.beginExpiring(keys) }
        let rest = Countdown(owned.reduce(0) { $0 + $1.caches.count })
        @Sendable func expireCopies(_ range: Range<Int>) async {
            for whole in owned[range] { for cache in whole.caches { await cache.expire(whole.key) { rest.count() } } }
        }
        @Sendable func end() async {
            // No cache serves a copy any more. What was made from one until now has an old part, and expires, too.
            let late = usersMeanwhile(of: owned.map(\.key))
            for (owner, keys) in void { owner.endExpiring(keys) }
            for whole in owned { whole.owner.lives[whole.key]?.fetchAgainForObservers() }
            if !late.isEmpty { await expire(late, waiting: waiting) }
        }
        let most = waiting ? owned.count : min(Self.mostAtOnce, owned.count)
        await expireCopies(0..<most)
        if most == owned.count {
            await end()
        } else {
            // Ends with the last of them.
            background.adopt(
                Task {
                    await expireCopies(most..<owned.count)
                    await end()
                })
        }
        if rest.isOver { return }
        let limit = clock.now + (owned.lazy.flatMap(\.caches).map(\.policy.timeLimit).max() ?? .zero)
        if waiting { return await rest.wait(until: limit, on: clock) }
        // Ends with the slowest cache, or its time: there is work under way until then.
        background.adopt(Task { await rest.wait(until: limit, on: clock) })
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
    private let race = Race<Void>()

    init(_ count: Int) { left = Atomic(count) }

    var isOver: Bool { left.load(ordering: .acquiring) <= 0 }

    /// One has come.
    func count() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { race.finish(.success(())) }
    }

    /// Returns when all have come, at `end`, and when the task is cancelled.
    func wait(until end: Timestamp, on clock: PipelineClock) async { try? await race.value(until: end, on: clock) }
}
