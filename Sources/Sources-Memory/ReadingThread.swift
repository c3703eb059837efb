#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Tells threads apart, to have each read at a place of its own. That two share one now and then costs time and nothing else.
enum ReadingThread {
    /// One of `count` places, a power of two, for the thread that asks; `salt` has threads that meet at one place part at another.
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
