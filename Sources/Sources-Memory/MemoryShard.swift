import Pipeline
import Synchronization

/// The part of a source that one lock guards.
///
/// While many hits change nothing, threads get views, and hits go by the lock; the next change takes them back.
final class MemoryShard: Sendable {
    private static let viewCount = 8
    /// How many hits in a row change nothing before threads get views: only a shard that is read more often than it changes gains from them.
    private static let quietHits = 64

    private struct State {
        var store = MemoryStore()
        /// Hits since the last change.
        var quiet = 0
        var hasGivenViews = false
    }

    private let state = Mutex(State())
    private let views: [MemoryView]
    /// The same, for readers: counting their references would have threads wait for each other at every hit.
    private let unowned: [Unmanaged<MemoryView>]
    private let budget: MemoryBudget

    init(budget: MemoryBudget) {
        self.budget = budget
        views = (0..<Self.viewCount).map { _ in MemoryView() }
        unowned = views.map(Unmanaged.passUnretained)
    }

    var keys: [Key] { state.withLock(\.store.keys) }

    /// What it holds of `pipeline`. Counts as no use.
    func copies(of pipeline: String) -> [CacheContents.Copy] {
        state.withLock { $0.store.copies(of: pipeline) }
    }

    /// The entry of `key`; counts as a use. Allocates nothing, except when it gives a view.
    @inline(__always)
    func entry(for key: Key, hash: UInt32, salt: Int) -> Entry? {
        unowned[ReadingThread.place(of: Self.viewCount, salt: salt)]._withUnsafeGuaranteedRef { view in
            var isKnown = false
            let entry = view.look(for: key, hash: hash, isKnown: &isKnown)
            return isKnown ? entry : self.entry(for: key, hash: hash, givingViewTo: view)
        }
    }

    private func entry(for key: Key, hash: UInt32, givingViewTo view: MemoryView) -> Entry? {
        state.withLock { state in
            var changesNothing = true
            let entry = state.store.look(for: key, hash: hash, isKnown: &changesNothing)
            guard changesNothing else {
                takeBackViews(&state)
                return state.store.entry(for: key, hash: hash)
            }
            if state.quiet < Self.quietHits {
                state.quiet += 1
            } else {
                state.hasGivenViews = true
                view.give(state.store)
            }
            return entry
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
