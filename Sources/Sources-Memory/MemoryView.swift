import Pipeline
import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A view through which one thread, or a few, read a shard without its lock, which would go from core to core with every hit.
///
/// What is seen here is the shard's own store, not a copy of it; the shard takes all of its views back before it changes anything.
final class MemoryView: Sendable {
    private struct State {
        var isGiven = false
        // Not optional: looking into an optional would count references that all threads share.
        var store = MemoryStore()
    }

    // What is next to it in memory must not share a line of the processors' caches with the lock.
    private let before = (0, 0, 0, 0, 0, 0, 0, 0)
    private let state = Mutex(State())
    private let after = (0, 0, 0, 0, 0, 0, 0, 0)

    /// The value that `take` makes of what the store holds for the key with this hash that `matches` accepts; `isKnown` unless the shard
    /// must be asked. Allocates nothing.
    @inline(__always)
    func look<Copy: Sendable>(
        hash: UInt32, isKnown: inout Bool, _ matches: (Key) -> Bool, _ take: (borrowing MemoryStore.Slot, _ source: String?) -> Copy
    ) -> Copy? {
        state.withLock { state in
            isKnown = state.isGiven
            return isKnown ? state.store.look(hash: hash, isKnown: &isKnown, matches, take) : nil
        }
    }

    /// Shows `store`, which must not change before it is taken back.
    func give(_ store: MemoryStore) {
        state.withLock { $0 = State(isGiven: true, store: store) }
    }

    func takeBack() {
        state.withLock { $0 = State() }
    }
}

/// Tells threads apart, so that each reads at a place of its own. Two threads that share a place lose time and nothing else.
enum ReadingThread {
    /// One of `count` places, a power of two, for the calling thread; another `salt` separates threads that share a place.
    @inline(__always)
    static func place(of count: Int, salt: Int) -> Int {
        let mixed = identity &* (0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: salt) &<< 1)
        return Int(truncatingIfNeeded: mixed >> 32) & (count - 1)
    }

    @inline(__always)
    private static var identity: UInt64 {
        #if canImport(Darwin)
        UInt64(UInt(bitPattern: pthread_self()))
        #else
        UInt64(pthread_self())
        #endif
    }
}
