import Foundation

/// A request under way, on a connection of its own.
struct Request: Sendable {
    private let socket: Socket

    /// Connects and sends; the answer is read later.
    init(_ method: String, _ target: String, headers: [String: String] = [:], body: String = "", port: Int) throws {
        socket = try Socket.connect(to: port)
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined() + length
        let head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(fields)\r\n"
        try socket.send(Array((head + body).utf8))
    }

    /// Closes the connection without waiting for the answer.
    func abandon() {
        socket.shut()
    }

    /// Waits for the whole answer.
    func answer() throws -> Answer {
        var bytes: [UInt8] = []
        while let chunk = try socket.receive() { bytes += chunk }
        socket.shut()
        return try Answer(bytes)
    }
}
