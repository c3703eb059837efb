import Foundation

/// A socket of datagrams, as a service manager has one.
final class Mailbox: Sendable {
    let path: String
    private let descriptor: Int32

    /// - Parameter path: short enough for a socket, so not below a folder with a long name.
    init() throws {
        path = "/tmp/pipe-run-\(UUID().uuidString.prefix(8)).sock"
        #if canImport(Darwin)
        descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard bound == 0 else { throw TooLong(description: "no socket at \(path): \(String(cString: strerror(errno)))") }
        var limit = timeval(tv_sec: Int(patience), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next message whose lines do not begin with `skipped`, waited for.
    func next(skipping skipped: String = "WATCHDOG") async throws -> [String] {
        try await blocking { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count >= 0 else { throw TooLong(description: "no message came") }
                let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
                if lines.first?.hasPrefix(skipped) != true { return lines }
            }
        }
    }
}
