import Pipeline
import Synchronization

/// The part of a source that one lock guards.
///
/// While many hits change nothing, threads get views, and hits go by the lock; the next change takes them back.
final class MemoryShard: Sendable {
    /// The number of views that a shard has, a power of two.
    static let viewCount = 8
    /// The number of hits in a row that change nothing before threads get views: only a shard that is read more often than it changes gains
    /// from them.
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

    /// The copies of `pipeline` that it holds. Counts as no use.
    func copies(of pipeline: String) -> [CacheContents.Copy] {
        state.withLock { $0.store.copies(of: pipeline) }
    }

    /// The value that `take` makes of the slot with this hash whose key `matches` accepts; counts as a use. Allocates nothing, except when
    /// it gives a view.
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

    /// Indicates whether the entry of `key` was still `held`, and has the times of `entry` now.
    func renew(_ held: Entry, as entry: Entry, for key: Key, hash: UInt32) -> Bool {
        change { [budget] in $0.renew(held, as: entry, for: key, hash: hash, budget: budget) }
    }

    func remove(_ key: Key, hash: UInt32) {
        change { [budget] in $0.remove(key, hash: hash, budget: budget) }
    }

    func clear(pipeline: String) {
        change { [budget] in $0.clear(pipeline: pipeline, budget: budget) }
    }

    /// Evicts one entry and returns its key; nil if there is none.
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

/// The entries and bytes that all shards of a source hold together, and the most they may hold.
///
/// Counters alone, changed under the lock of the shard they change with: a reading thread never touches them.
final class MemoryBudget: Sendable {
    private let entryCount = Atomic(0)
    private let byteCount = Atomic(0)
    private let maxEntries: Atomic<Int>
    private let maxBytes: Atomic<Int>

    init(maxEntries: Int, maxBytes: Size?) {
        precondition(maxEntries >= 0, "a source keeps 0 entries or more")
        self.maxEntries = Atomic(maxEntries)
        self.maxBytes = Atomic(maxBytes?.bytes ?? .max)
    }

    var entries: Int { entryCount.load(ordering: .relaxed) }

    var bytes: Int { byteCount.load(ordering: .relaxed) }

    var isOver: Bool {
        entries > maxEntries.load(ordering: .relaxed) || bytes > maxBytes.load(ordering: .relaxed)
    }

    /// Indicates whether an entry of `bytes` could be kept if there were no other.
    func admits(bytes: Int) -> Bool {
        maxEntries.load(ordering: .relaxed) > 0 && bytes <= maxBytes.load(ordering: .relaxed)
    }

    /// The reason why an entry is not admitted.
    var refusal: SourceError {
        SourceError.notKept(within: maxEntries.load(ordering: .relaxed), Size(bytes: maxBytes.load(ordering: .relaxed)))
    }

    func setBounds(maxEntries: Int, maxBytes: Size?) {
        precondition(maxEntries >= 0, "a source keeps 0 entries or more")
        self.maxEntries.store(maxEntries, ordering: .relaxed)
        self.maxBytes.store(maxBytes?.bytes ?? .max, ordering: .relaxed)
    }

    func change(entries: Int, bytes: Int) {
        entryCount.wrappingAdd(entries, ordering: .relaxed)
        byteCount.wrappingAdd(bytes, ordering: .relaxed)
    }
}
