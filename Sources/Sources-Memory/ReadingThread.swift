#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

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
