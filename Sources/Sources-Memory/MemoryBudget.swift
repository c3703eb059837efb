import Pipeline
import Synchronization

/// What all shards of a source hold together, and the most they may hold.
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

    /// Whether an entry of `bytes` could be kept if there were no other.
    func admits(bytes: Int) -> Bool {
        maxEntries.load(ordering: .relaxed) > 0 && bytes <= maxBytes.load(ordering: .relaxed)
    }

    /// Why an entry is not admitted.
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
