import Foundation

/// A client's connection to `serve`, on which a test writes what it likes.
final class Wire: Sendable {
    let socket: Socket

    /// - Parameter buffer: the bytes that the system takes for it while it does not read, nil for as many as the system likes.
    init(_ server: Serving, buffer: Int32? = nil) throws {
        socket = try Socket.connect(to: server.port, buffer: buffer)
    }

    /// A head that is in order.
    static func head(_ target: String, _ fields: String = "", version: String = "1.1") -> String {
        "GET \(target) HTTP/\(version)\r\nHost: localhost\r\n\(fields)\r\n"
    }

    func send(_ text: String) throws {
        try socket.send(Array(text.utf8))
    }

    /// One answer that says its length, without ending the connection.
    func answer() throws -> Answer {
        var bytes: [UInt8] = []
        while true {
            if let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)), let answer = try? Answer(bytes) {
                let length = answer["Content-Length"].flatMap { Int($0) } ?? 0
                if bytes.count >= blank.upperBound + length { return answer }
            }
            guard let chunk = try socket.receive() else { throw TooLong(description: "the end, after \(bytes.count) bytes") }
            bytes += chunk
        }
    }

    /// Everything up to the end of the connection.
    func all() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try socket.receive() { bytes += chunk }
        return bytes
    }

    /// What the server answers to `text` before it ends the connection.
    static func exchange(_ text: String, with server: Serving) async throws -> Answer {
        try await blocking {
            let wire = try Wire(server)
            try wire.send(text)
            return try Answer(wire.all())
        }
    }
}
