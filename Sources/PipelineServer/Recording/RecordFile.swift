#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A file that lines are appended to, up to a size.
package final class RecordFile: Sendable {
    /// The reason why a file cannot be recorded to.
    package struct Problem: Error {
        package let message: String
        package var help: String?
    }

    private let descriptor: Int32
    /// The bytes that were in the file before, up to the end of its last complete line.
    package let size: Int
    /// The bytes of half a line behind them, which are removed.
    package let cut: Int

    /// Opens the file at `path`, or makes it, readable by its owner alone.
    ///
    /// - Parameter isNew: whether the file must not hold anything yet.
    package init(path: String, isNew: Bool) throws(Problem) {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.problem(path, Self.reason) }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.problem(path, Self.reason) }
        let held = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
        guard held > 0 else {
            (size, cut) = (0, 0)
            return
        }
        guard !isNew else {
            throw Problem(
                message: "cannot record to `\(path)`: it holds a recording, whose hashes have another key",
                help: "`--anonymous` needs a new file")
        }
        let beginning = Self.bytes(of: descriptor, at: 0, RecordLine.beginning.count)
        guard !beginning.isEmpty, RecordLine.beginning.starts(with: beginning) else { throw Self.problem(path, "it is not a recording") }
        // A full disk, or the end of the process that wrote it, leaves half a line.
        guard let end = Self.endOfLines(of: descriptor, held) else { throw Self.problem(path, Self.reason) }
        size = end
        cut = held - size
        if cut > 0, ftruncate(descriptor, off_t(size)) != 0 { throw Self.problem(path, Self.reason) }
    }

    /// The end of the last complete line of the first `held` bytes; nil if they cannot be read.
    private static func endOfLines(of descriptor: Int32, _ held: Int) -> Int? {
        let chunk = 1 << 16
        var end = held
        while end > 0 {
            let start = max(0, end - chunk)
            let read = bytes(of: descriptor, at: start, end - start)
            guard read.count == end - start else { return nil }
            if let newline = read.lastIndex(of: UInt8(ascii: "\n")) { return start + newline + 1 }
            end = start
        }
        return 0
    }

    deinit {
        close(descriptor)
    }

    private static func bytes(of descriptor: Int32, at offset: Int, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }

    private static func problem(_ path: String, _ reason: String) -> Problem {
        Problem(message: "cannot record to `\(path)`: \(reason)", help: "give `--record` another file")
    }

    private static var reason: String { String(cString: strerror(errno)).lowercased() }

    /// Appends all of `bytes`. Gives why it could not; nil if it could.
    func append(_ bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return Self.reason }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
