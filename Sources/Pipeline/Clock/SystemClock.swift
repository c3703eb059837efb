import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

extension PipelineClock {
    /// The machine's clocks. One value for the process, so that everything ages on one time line.
    public static let system = PipelineClock(
        wall: { Timestamp(nanoseconds: nanoseconds(of: CLOCK_REALTIME)) },
        monotonicNanoseconds: { nanoseconds(of: elapsedTime) },
        sleep: { try await Task.sleep(for: $0, clock: .continuous) },
        reading: { start in { start &+ nanoseconds(of: elapsedTime) } },
        estimating: { start in
            #if os(Linux)
            let tick = LastTick()
            return { start &+ tick.elapsedTime }
            #else
            return { start &+ nanoseconds(of: elapsedTime) }
            #endif
        }
    )
}

/// The monotonic clock that also counts the time a machine was suspended: a laptop's lid must not keep copies fresh.
private var elapsedTime: clockid_t {
    #if canImport(Darwin)
    CLOCK_MONOTONIC_RAW
    #else
    CLOCK_BOOTTIME
    #endif
}

@inline(__always)
private func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

#if os(Linux)
/// The time of the kernel's last tick: an eighth of the cost of the exact time, and a few milliseconds behind it.
///
/// There is such a clock that stops while the machine is suspended, and one that follows the wall clock. A suspension moves one against the
/// other, as a step of the wall clock does. While they keep their distance, the time spent suspended is what it was.
private final class LastTick: Sendable {
    /// How far the wall clock was ahead when ``suspended`` was measured.
    private let distance = Atomic(Int64.min)
    private let suspended = Atomic<Int64>(0)
    private let measuring = Mutex(())

    /// The nanoseconds of the elapsed time; exact ones after a suspension or a step.
    var elapsedTime: Int64 {
        let tick = nanoseconds(of: CLOCK_MONOTONIC_COARSE)
        let distance = nanoseconds(of: CLOCK_REALTIME_COARSE) &- tick
        if distance == self.distance.load(ordering: .acquiring) { return tick &+ suspended.load(ordering: .relaxed) }
        return measured()
    }

    @inline(never)
    private func measured() -> Int64 {
        measuring.withLock { _ in
            let distance = presentDistance()
            let before = nanoseconds(of: CLOCK_MONOTONIC)
            let elapsed = nanoseconds(of: Pipeline.elapsedTime)
            let after = nanoseconds(of: CLOCK_MONOTONIC)
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
        let tick = nanoseconds(of: CLOCK_MONOTONIC_COARSE)
        let wall = nanoseconds(of: CLOCK_REALTIME_COARSE)
        return nanoseconds(of: CLOCK_MONOTONIC_COARSE) == tick ? wall &- tick : nil
    }
}
#endif
