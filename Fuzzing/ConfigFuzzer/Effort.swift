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

    /// Reads `bytes`, and again with their last line as often as it fits into 32 KiB: what looks at all lines for each one shows in that. Ends
    /// the process when more was taken than such a text may take.
    static func check(_ bytes: [UInt8], _ read: ([UInt8]) -> Void) {
        let end = bytes.last == UInt8(ascii: "\n") ? bytes.endIndex - 1 : bytes.endIndex
        let start = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")) ?? 0
        let line = bytes[start..<end]
        let repetitions = line.count > 1 ? max(0, (32 << 10) - bytes.count) / line.count : 0
        for text in [bytes, bytes[..<end] + Array(repeatElement(line, count: repetitions).joined())] {
            let effort = Effort()
            read(text)
            effort.check(forBytes: text.count)
        }
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
