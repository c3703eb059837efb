import Synchronization

/// How far the wall clock is ahead of the time line of a process, which follows it from the start of the process alone.
final class WallCorrection: Sendable {
    /// A smaller difference comes from reading two clocks one after the other, and is no correction.
    private static let tolerance: Int64 = 10_000_000
    /// When two readings take longer, the thread was held up between them, and their difference is not used.
    private static let longestReading: Int64 = 1_000_000

    private let offset = Atomic<Int64>(0)

    /// Nanoseconds to add to a time of the time line, and the present on it.
    func current(wall: () -> Timestamp, now: () -> Int64) -> (offset: Int64, now: Int64) {
        let known = offset.load(ordering: .relaxed)
        var begin = now()
        for _ in 0..<3 {
            let found = wall().nanoseconds.subtractingSaturated(begin)
            if found.subtractingSaturated(known).magnitude < Self.tolerance.magnitude { return (known, begin) }
            let end = now()
            guard end.subtractingSaturated(begin) <= Self.longestReading else {
                begin = end
                continue
            }
            offset.store(found, ordering: .relaxed)
            return (found, end)
        }
        return (known, begin)
    }
}
