private import Glibc

/// The computing time and the memory that reading a text takes, measured against its size.
///
/// The bounds are wide, for the sanitizer and a busy machine: what takes time or memory with the square of a text of 4 KiB is over them.
struct Effort {
    private let began: Int
    private let allocated: Int

    /// Begins to measure.
    init() {
        began = Self.microseconds
        allocated = bytesAllocated()
    }

    /// Ends the process when more was taken than a text of `count` bytes may take.
    func check(forBytes count: Int) {
        let (time, memory) = (Self.microseconds - began, bytesAllocated() - allocated)
        require(time <= 200_000 + count * 200, "\(time) µs for \(count) bytes")
        // Aliases may stand for as many nodes as the limits of the fuzzer let them.
        require(memory <= 16 << 20 + count << 12, "\(memory) bytes of memory for \(count) bytes")
    }

    /// The time that this thread has computed for.
    private static var microseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}

/// What the address sanitizer has given out.
@_silgen_name("__sanitizer_get_current_allocated_bytes")
private func bytesAllocated() -> Int
