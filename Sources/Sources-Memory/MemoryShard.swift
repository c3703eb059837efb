import Pipeline
import Synchronization

/// The part of a source that one lock guards.
final class MemoryShard: Sendable {
    private let store = Mutex(MemoryStore())
    private let budget: MemoryBudget

    init(budget: MemoryBudget) {
        self.budget = budget
    }

    var keys: [Key] { store.withLock(\.keys) }

    func entry(for key: Key, hash: UInt32) -> Entry? {
        store.withLock { $0.entry(for: key, hash: hash) }
    }

    /// Writes, after making room in this shard, and gives the keys that had to go; `isOver` when it had not enough to give.
    func write(_ entry: Entry, for key: Key, hash: UInt32, cost: Int) -> (isOver: Bool, evicted: [Key]) {
        store.withLock { store in
            var evicted: [Key] = []
            let isOver = store.write(entry, for: key, hash: hash, cost: cost, budget: budget, evicted: &evicted)
            return (isOver, evicted)
        }
    }

    func remove(_ key: Key, hash: UInt32) {
        store.withLock { $0.remove(key, hash: hash, budget: budget) }
    }

    func clear(pipeline: String) {
        store.withLock { $0.clear(pipeline: pipeline, budget: budget) }
    }

    /// Lets one entry go, and gives its key; nil when there is none.
    func evict() -> Key? {
        store.withLock { $0.evict(budget: budget) }
    }
}
