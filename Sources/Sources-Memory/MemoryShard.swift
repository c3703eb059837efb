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

    /// Writes, after making room in this shard; true when it had not enough to give.
    func write(_ entry: Entry, for key: Key, hash: UInt32, cost: Int) -> Bool {
        store.withLock { $0.write(entry, for: key, hash: hash, cost: cost, budget: budget) }
    }

    func remove(_ key: Key, hash: UInt32) {
        store.withLock { $0.remove(key, hash: hash, budget: budget) }
    }

    func clear(pipeline: String) {
        store.withLock { $0.clear(pipeline: pipeline, budget: budget) }
    }

    /// Lets one entry go; false when there is none.
    func evict() -> Bool {
        store.withLock { $0.evict(budget: budget) }
    }
}
