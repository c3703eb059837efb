import Synchronization

extension Invalidation {
    /// How many wholes expire at once; the others do in the background.
    private static let mostAtOnce = 256

    /// Parts of these wholes have changed: their copies expire, and observers fetch them again. Slow caches do that in their turn, and serve
    /// nothing of it meanwhile.
    ///
    /// - Parameters:
    ///   - wholes: true for those whose answers are worthless that are still loaded, or not written yet.
    ///   - waiting: whether to return when all caches have done it, or have failed to, or took their time.
    func expire(_ wholes: [(key: Key, isVoid: Bool)], waiting: Bool) async {
        // Before the first copy expires, and until the last one has: what is loaded meanwhile may come from a copy.
        for whole in wholes where whole.isVoid { _ = generations.beginReplacement(of: whole.key) }
        detach(wholes.lazy.filter(\.isVoid).map(\.key))
        let caches = self.caches
        let rest = Countdown(wholes.count * caches.count)
        let most = waiting ? wholes.count : Self.mostAtOnce
        await expire(wholes.prefix(most), in: caches, rest)
        if wholes.count > most {
            // Ends with the last of them.
            background.adopt(
                Task {
                    for start in stride(from: most, to: wholes.count, by: Self.mostAtOnce) {
                        await self.expire(wholes[start...].prefix(Self.mostAtOnce), in: caches, rest)
                        await Task.yield()
                    }
                })
        }
        if rest.isOver { return }
        let end = clock.now + (caches.map(\.policy.timeLimit).max() ?? .zero)
        if waiting { return await rest.wait(until: end, on: clock) }
        // Ends with the slowest cache, or its time: so long there is work under way.
        background.adopt(Task { [clock] in await rest.wait(until: end, on: clock) })
    }

    private func expire(_ wholes: ArraySlice<(key: Key, isVoid: Bool)>, in caches: [Tier], _ rest: Countdown) async {
        for whole in wholes { for cache in caches { await cache.expire(whole.key) { rest.count() } } }
        for whole in wholes where whole.isVoid { generations.endReplacement(of: whole.key) }
        detach(wholes.lazy.filter(\.isVoid).map(\.key))
        for whole in wholes { lives[whole.key]?.fetchAgainForObservers() }
    }

    /// New fetches of these keys join no load that runs.
    private func detach(_ keys: some Sequence<Key>) {
        let keys = Set(keys)
        if !keys.isEmpty { detach { keys.contains($0) } }
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
