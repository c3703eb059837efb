#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The bytes of a file, or of standard input.
final class FileBytes: ByteSource {
    private let path: String
    private let descriptor: Int32
    private static let size = 1 << 18

    /// Opens the file at `path`; `-` is standard input.
    init(path: String) throws(TraceError) {
        self.path = path
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
    }

    func next() throws(TraceError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
            repeat { result = read(descriptor, buffer.baseAddress, Self.size) } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        guard result >= 0 else { throw Self.failure(path) }
        return bytes
    }

    private static func failure(_ path: String) -> TraceError {
        TraceError("cannot read the trace `\(path)`: \(String(cString: strerror(errno)).lowercased())")
    }
}
