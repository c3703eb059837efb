import Foundation
import Glibc

/// Answers every request on a free port of the loopback with the same bytes, one after the other, until the process ends.
final class StaticServer: Sendable {
    private let socket: LoopbackSocket

    var port: UInt16 { socket.port }

    init(body: [UInt8]) throws {
        socket = try LoopbackSocket()
        let listener = socket.descriptor
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let answer = Array(head.utf8) + body
        Thread { Self.serve(listener, answer) }.start()
    }

    deinit { socket.close() }

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
