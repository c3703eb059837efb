import Synchronization

/// The elapsed time at the system's last tick: a quarter of the cost of the exact time, and a few milliseconds behind it.
///
/// There is a clock of ticks that stops while the machine is suspended, and one that follows the wall clock. A suspension moves one against
/// the other, as a step of the wall clock does. While they keep their distance, the time spent suspended is what it was.
final class LastTick: Sendable {
    /// The clocks that say how much of the elapsed time was spent suspended.
    enum Clock { case tick, wallTick, monotonic, elapsed }

    private let read: @Sendable (Clock) -> Int64
    /// How far the wall clock was ahead when ``suspended`` was measured.
    private let distance = Atomic(Int64.min)
    private let suspended = Atomic<Int64>(0)
    private let measuring = Mutex(())

    /// - Parameter read: the nanoseconds that a clock shows.
    init(reading read: @escaping @Sendable (Clock) -> Int64) { self.read = read }

    /// The nanoseconds of the elapsed time when the two clocks of ticks show `tick` and `wall`; the exact time after a suspension or a step.
    @inline(__always)
    func elapsedTime(at tick: Int64, wall: Int64) -> Int64 {
        if wall &- tick == distance.load(ordering: .acquiring) { return tick &+ suspended.load(ordering: .relaxed) }
        return measured()
    }

    @inline(never)
    private func measured() -> Int64 {
        measuring.withLock { _ in
            let distance = presentDistance()
            let (before, elapsed, after) = (read(.monotonic), read(.elapsed), read(.monotonic))
            // Where the thread stopped in between, or the machine did, the next reading measures it again.
            if let distance, after - before < 1_000_000, distance == presentDistance() {
                suspended.store(elapsed - after, ordering: .relaxed)
                self.distance.store(distance, ordering: .releasing)
            }
            return elapsed
        }
    }

    /// How far the wall clock is ahead; nil at a tick.
    private func presentDistance() -> Int64? {
        let (tick, wall) = (read(.tick), read(.wallTick))
        return read(.tick) == tick ? wall &- tick : nil
    }
}
