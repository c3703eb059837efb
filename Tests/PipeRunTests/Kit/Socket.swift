import Foundation

#if canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue)
#else
private let streamType = SOCK_STREAM
#endif

/// A TCP socket on the loopback interface, blocking and bounded by ``patience``.
final class Socket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: Int(patience), tv_usec: 0)
        // The second one holds for connecting, too.
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit {
        close(descriptor)
    }

    /// - Parameter buffer: the bytes that the system takes for a client that does not read, nil for as many as it likes.
    static func connect(to port: Int, buffer: Int32? = nil) throws -> Socket {
        let socket = try make()
        if var size = buffer { setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        try withAddress(port) { address, length in
            guard systemConnect(socket.descriptor, address, length) == 0 else { throw failure() }
        }
        return socket
    }

    /// Listens on a free port.
    static func listening() throws -> (socket: Socket, port: Int) {
        let socket = try make()
        try withAddress(0) { address, length in
            guard bind(socket.descriptor, address, length) == 0, listen(socket.descriptor, 1024) == 0 else { throw failure() }
        }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.descriptor, $0, &length) }
        }
        guard result == 0 else { throw failure() }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The next connection; nil when the socket is shut.
    func accept() -> Socket? {
        let connection = systemAccept(descriptor)
        return connection < 0 ? nil : Socket(connection)
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0) }
            guard count > 0 else { throw Self.failure() }
            rest = rest.dropFirst(count)
        }
    }

    /// The next bytes; nil at the end.
    func receive() throws -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count >= 0 else { throw Self.failure() }
        return count == 0 ? nil : Array(chunk[..<count])
    }

    /// Ends both directions; a thread that waits in ``accept()`` or ``receive()`` returns.
    func shut() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Ends the sending: the other side reads the end, and may go on writing.
    func shutSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Has the connection reset, not ended, when this value goes.
    func resetsWhenGone() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    private static func make() throws -> Socket {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw failure() }
        return Socket(descriptor)
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try withUnsafePointer(to: &address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    private static func failure() -> POSIXError {
        POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO)
    }
}

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}

private func systemAccept(_ descriptor: Int32) -> Int32 {
    accept(descriptor, nil, nil)
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #else
    send(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
}
