import Glibc

/// Reads the monotonic clock in nanoseconds.
enum Stopwatch {
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    static func time(_ work: () async throws -> Void) async rethrows -> Double {
        let start = now
        try await work()
        return now - start
    }
}
