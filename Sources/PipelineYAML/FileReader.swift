internal import Pipeline
internal import PipelineJSON

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Reads all of a file, bounded.
package enum FileReader {
    package enum Problem: Error {
        case tooLarge
        case failed(String)
    }

    package static func read(_ path: String, limit: Int) -> Result<[UInt8], Problem> {
        // Not blocking: a pipe without a writer must not hold up the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(.failed(reason(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(.failed(reason(errno))) }
        if status.st_mode & S_IFMT == S_IFDIR { return .failure(.failed("it is a folder")) }
        let contents = contents(of: descriptor, expecting: Int(clamping: status.st_size), limit: limit)
        if case .success(let bytes) = contents, bytes.isEmpty, status.st_mode & S_IFMT == S_IFIFO {
            return .failure(.failed("it is a pipe without a writer"))
        }
        return contents
    }

    /// The reason why the file at `path` cannot be read, as far as opening it shows; nil if it can.
    static func problem(at path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return reason(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return reason(errno) }
        return status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : nil
    }

    /// The time that a writer which has the pipe open may take.
    private static let patience: Int32 = 10_000

    private static func contents(of descriptor: Int32, expecting size: Int, limit: Int) -> Result<[UInt8], Problem> {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(size, limit))
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = systemRead(descriptor, &chunk)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, patience) != 0 else { return .failure(.failed("no data for \(patience / 1000) s")) }
                continue
            }
            guard count >= 0 else { return .failure(.failed(reason(errno))) }
            guard count > 0 else { return .success(bytes) }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { return .failure(.tooLarge) }
        }
    }

    private static func reason(_ code: Int32) -> String {
        code == ENOENT ? "no such file" : String(cString: strerror(code)).lowercased()
    }
}

private func systemRead(_ descriptor: Int32, _ chunk: inout [UInt8]) -> Int {
    read(descriptor, &chunk, chunk.count)
}

/// Checks complete texts.
enum UTF8Text {
    /// The offset of the first byte that is not well-formed UTF-8; nil if all is.
    static func firstInvalid(in text: [UInt8]) -> Int? {
        text.withUnsafeBufferPointer(UTF8Scanner.firstInvalid)
    }
}
