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
            if areTicks(CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_COARSE) {
                let last = LastTick(reading: { nanoseconds(of: $0.id) })
                return {
                    let tick = nanoseconds(of: CLOCK_MONOTONIC_COARSE)
                    return start &+ last.elapsedTime(at: tick, wall: nanoseconds(of: CLOCK_REALTIME_COARSE))
                }
            }
            #endif
            return { start &+ nanoseconds(of: elapsedTime) }
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
extension LastTick.Clock {
    fileprivate var id: clockid_t {
        switch self {
        case .tick: CLOCK_MONOTONIC_COARSE
        case .wallTick: CLOCK_REALTIME_COARSE
        case .monotonic: CLOCK_MONOTONIC
        case .elapsed: elapsedTime
        }
    }
}

/// Whether these clocks go by the system's ticks. Where they are the exact ones by another name, as in gVisor, they are dear.
private func areTicks(_ clocks: clockid_t...) -> Bool {
    clocks.allSatisfy { clock in
        var resolution = timespec()
        return clock_getres(clock, &resolution) == 0 && resolution.tv_nsec >= 100_000
    }
}
#endif

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
