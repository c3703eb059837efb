import Foundation

/// A request under way, on a connection of its own.
struct Request: Sendable {
    private let socket: Socket

    /// Connects and sends; the answer is read later.
    init(_ method: String, _ target: String, headers: [String: String] = [:], port: Int) throws {
        socket = try Socket.connect(to: port)
        let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        try socket.send(Array("\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(fields)\r\n".utf8))
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
