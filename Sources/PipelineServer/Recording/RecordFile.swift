#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A file that lines are appended to, up to a size.
package final class RecordFile: Sendable {
    /// Why a file cannot be recorded to.
    package struct Problem: Error {
        package let message: String
        package var help: String?
    }

    private let descriptor: Int32
    /// The bytes that were in the file before.
    package let size: Int

    /// Opens the file at `path`, or makes it, readable by its owner alone.
    ///
    /// - Parameter isNew: whether the file must not hold anything yet.
    package init(path: String, isNew: Bool) throws(Problem) {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.problem(path, Self.reason) }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.problem(path, Self.reason) }
        size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
        guard size > 0 else { return }
        guard !isNew else {
            throw Problem(
                message: "cannot record to `\(path)`: it holds a recording, whose hashes have another key",
                help: "`--anonymous` needs a new file")
        }
        guard bytes(at: 0, RecordLine.beginning.count) == RecordLine.beginning else { throw Self.problem(path, "it is not a recording") }
        guard bytes(at: size - 1, 1) == [UInt8(ascii: "\n")] else { throw Self.problem(path, "its last line is cut short") }
    }

    deinit {
        close(descriptor)
    }

    private func bytes(at offset: Int, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }

    private static func problem(_ path: String, _ reason: String) -> Problem {
        Problem(message: "cannot record to `\(path)`: \(reason)", help: "give `--record` another file")
    }

    private static var reason: String { String(cString: strerror(errno)).lowercased() }

    /// Appends all of `bytes`. Gives why it could not; nil when it could.
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
