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
        reading: { start in { start &+ nanoseconds(of: elapsedTime) } }
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
