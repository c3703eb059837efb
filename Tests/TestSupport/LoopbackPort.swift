import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Ports of 127.0.0.1, for servers that a test starts and that have to be told theirs.
package enum LoopbackPort {
    /// A port that nothing listens on now. Another process may take it before it is used.
    package static func free() throws -> Int {
        try withSocket { descriptor in
            var address = address(of: 0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isBound else { throw failure("bind") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    /// A port where no server listens, another one each time. It is below 1,024: the system gives none of those to the server of another test.
    package static func closed() -> Int { lastClosed.add(1, ordering: .relaxed).newValue }

    private static let lastClosed = Atomic(800)

    /// Returns true as soon as `process` takes connections at `port`, and false when it ended or does not within half a minute.
    package static func isOpened(_ port: Int, by process: ChildProcess) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while process.isRunning, ContinuousClock.now < deadline {
            // Another process may listen there, so that ours has ended.
            if (try? withConnection(to: port) { _ in }) != nil { return process.isRunning }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Runs `body` with a socket that is connected to `port`.
    package static func withConnection<Value>(to port: Int, _ body: (Int32) throws -> Value) throws -> Value {
        try withSocket { descriptor in
            var address = address(of: port)
            let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { throw failure("connect") }
            return try body(descriptor)
        }
    }

    private static func withSocket<Value>(_ body: (Int32) throws -> Value) throws -> Value {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw failure("socket") }
        defer { close(descriptor) }
        return try body(descriptor)
    }

    private static func address(of port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        return address
    }

    package static func failure(_ call: String) -> ChildProcess.Failure {
        ChildProcess.Failure(description: "\(call): \(String(cString: strerror(errno)))")
    }
}
