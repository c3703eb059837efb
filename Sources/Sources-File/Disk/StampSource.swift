internal import Pipeline
internal import Synchronization

/// Gives the wall clock's time, and never the same moment twice, which distinguishes the payloads of one path.
final class StampSource: Sendable {
    private let clock: PipelineClock
    private let last = Mutex(Int64.min)

    init(clock: PipelineClock) {
        self.clock = clock
    }

    /// The present in nanoseconds since 1970, later than any given before.
    func next() -> Int64 {
        let now = clock.wall().nanoseconds
        return last.withLock { last in
            last = max(now, last == .max ? .max : last + 1)
            return last
        }
    }
}
