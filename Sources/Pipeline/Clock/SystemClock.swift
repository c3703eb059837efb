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
