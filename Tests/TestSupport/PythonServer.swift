import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server in Python that a test starts, to meet a peer that is not ours. It prints its port when it listens.
package enum PythonServer {
    /// Why a test with servers in Python is skipped.
    package static let advice = "no python3 with websockets and aiohttp; `scripts/setup` installs them"

    private static let python = ProcessInfo.processInfo.environment["PIPE_RUN_PYTHON"] ?? "/usr/bin/python3"

    /// Whether there is a Python with the libraries; `scripts/setup` installs them for that of the system.
    package static let isThere = (try? ChildProcess.run([python, "-c", "import websockets, aiohttp"])) == 0

    /// Runs `body` with the port of the server that `program` starts, and ends it.
    package static func run(_ program: String, _ body: (Int) async throws -> Void) async throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID().uuidString)").path
        guard mkfifo(pipe, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { unlink(pipe) }
        // Open for writing, too, so that neither side waits for the other to open it.
        let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let server = try ChildProcess([python, "-c", program], output: pipe)
        let port = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: line(of: descriptor).flatMap { Int($0) }) }
        }
        do {
            guard let port else { throw CocoaError(.fileReadUnknown) }
            try await body(port)
        } catch {
            server.end()
            throw error
        }
        server.end()
    }

    /// The first line that comes within 30 seconds; nil when none does.
    private static func line(of descriptor: Int32) -> String? {
        var text = ""
        while true {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 30_000) > 0 else { return nil }
            var byte = UInt8(0)
            guard read(descriptor, &byte, 1) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return text }
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
    }
}
