import Pipeline
import Synchronization

/// The part of a source that one lock guards.
///
/// While many hits change nothing, threads get views, and hits go by the lock; the next change takes them back.
final class MemoryShard: Sendable {
    /// How many views a shard has, a power of two.
    static let viewCount = 8
    /// How many hits in a row change nothing before threads get views: only a shard that is read more often than it changes gains from them.
    private static let quietHits = 64

    private struct State {
        var store = MemoryStore()
        /// Hits since the last change.
        var quiet = 0
        var hasGivenViews = false
    }

    private let state = Mutex(State())
    let views: [MemoryView]
    private let budget: MemoryBudget

    init(budget: MemoryBudget) {
        self.budget = budget
        views = (0..<Self.viewCount).map { _ in MemoryView() }
    }

    var keys: [Key] { state.withLock(\.store.keys) }

    /// What it holds of `pipeline`. Counts as no use.
    func copies(of pipeline: String) -> [CacheContents.Copy] {
        state.withLock { $0.store.copies(of: pipeline) }
    }

    /// What `take` makes of the slot with this hash whose key `matches` accepts; counts as a use. Allocates nothing, except when it gives a
    /// view.
    ///
    /// - Parameter view: the caller's, which did not know it.
    @inline(never)
    func copy<Copy: Sendable>(
        hash: UInt32, givingViewTo view: MemoryView, _ matches: (Key) -> Bool,
        _ take: (borrowing MemoryStore.Slot, _ source: String?) -> Copy
    ) -> Copy? {
        state.withLock { state in
            var changesNothing = true
            let copy = state.store.look(hash: hash, isKnown: &changesNothing, matches, take)
            guard changesNothing else {
                takeBackViews(&state)
                return state.store.copy(hash: hash, matches, take)
            }
            if state.quiet < Self.quietHits {
                state.quiet += 1
            } else {
                state.hasGivenViews = true
                view.give(state.store)
            }
            return copy
        }
    }

    /// Writes, after making room in this shard. Returns the evicted keys; `isOver` when the shard had too few entries to evict.
    func write(_ entry: Entry, for key: Key, hash: UInt32, cost: Int) -> (isOver: Bool, evicted: [Key]) {
        change { [budget] store in
            var evicted: [Key] = []
            let isOver = store.write(entry, for: key, hash: hash, cost: cost, budget: budget, evicted: &evicted)
            return (isOver, evicted)
        }
    }

    /// Whether the entry of `key` was still `held`, and has the times of `entry` now.
    func renew(_ held: Entry, as entry: Entry, for key: Key, hash: UInt32) -> Bool {
        change { [budget] in $0.renew(held, as: entry, for: key, hash: hash, budget: budget) }
    }

    func remove(_ key: Key, hash: UInt32) {
        change { [budget] in $0.remove(key, hash: hash, budget: budget) }
    }

    func clear(pipeline: String) {
        change { [budget] in $0.clear(pipeline: pipeline, budget: budget) }
    }

    /// Evicts one entry and returns its key; nil when there is none.
    func evict() -> Key? {
        change { [budget] in $0.evict(budget: budget) }
    }

    private func change<Result: Sendable>(_ body: (inout MemoryStore) -> Result) -> Result {
        state.withLock { state in
            takeBackViews(&state)
            return body(&state.store)
        }
    }

    /// Takes back all views: the store may then change, in place.
    private func takeBackViews(_ state: inout State) {
        state.quiet = 0
        guard state.hasGivenViews else { return }
        state.hasGivenViews = false
        for view in views { view.takeBack() }
    }
}
