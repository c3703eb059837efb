#if TRACED_MUTEX
import Synchronization

/// A mutex that the thread sanitizer understands.
///
/// On Linux the standard library's locks by system calls in a library that is not instrumented: the sanitizer sees the accesses
/// inside the lock and not the lock, and reports all of them. Here the same mutex locks, and an atomic tells the sanitizer in
/// which order its holders came. It is only there in builds for the sanitizer, in place of the standard library's.
package struct TracedMutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Synchronization.Mutex<Value>
    private let turn = Atomic(false)

    package init(_ value: consuming sending Value) {
        mutex = Synchronization.Mutex(value)
    }

    package borrowing func withLock<Returned: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Returned
    ) throws(Failure) -> sending Returned {
        try mutex.withLock { value throws(Failure) in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}

typealias Mutex = TracedMutex
#endif
