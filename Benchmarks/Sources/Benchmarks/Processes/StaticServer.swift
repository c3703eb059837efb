import Foundation
import Glibc

/// Answers every request on a free port of the loopback with the same bytes, one after the other, until the process ends.
final class StaticServer: Sendable {
    let port: UInt16
    private let listener: Int32

    init(body: [UInt8]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw SystemError("make a socket", errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw SystemError("listen", errno) }
        port = UInt16(bigEndian: address.sin_port)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let answer = Array(head.utf8) + body
        Thread { Self.serve(listener, answer) }.start()
    }

    deinit { close(listener) }

    private static func serve(_ listener: Int32, _ answer: [UInt8]) {
        var request = [UInt8](repeating: 0, count: 4_096)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            // A request of these clients fits into one segment.
            _ = recv(connection, &request, request.count, 0)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
    }
}
