import Synchronization

/// How far the wall clock is ahead of the time line of a process, which follows it from the start of the process alone.
final class WallCorrection: Sendable {
    /// Less than that is what reading two clocks after each other comes to, and no correction.
    private static let tolerance: Int64 = 10_000_000
    /// A thread that is held up for longer between two readings has measured that.
    private static let longestReading: Int64 = 1_000_000

    private let offset = Atomic<Int64>(0)

    /// Nanoseconds to add to a time of the time line.
    func current(wall: () -> Timestamp, now: () -> Int64) -> Int64 {
        let known = offset.load(ordering: .relaxed)
        for _ in 0..<3 {
            let begin = now()
            let found = wall().nanoseconds.subtractingSaturated(begin)
            guard now().subtractingSaturated(begin) <= Self.longestReading else { continue }
            if found.subtractingSaturated(known).magnitude < Self.tolerance.magnitude { return known }
            offset.store(found, ordering: .relaxed)
            return found
        }
        return known
    }
}
