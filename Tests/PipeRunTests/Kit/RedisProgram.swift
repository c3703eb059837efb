import Foundation
import TestSupport

/// A `redis-server` of one test, on a free loopback port; it keeps nothing on the disk.
struct RedisProgram {
    let port: Int

    var url: String { "redis://127.0.0.1:\(port)" }

    /// Runs `body` with a server that takes connections, and ends it.
    static func run(_ body: (RedisProgram) async throws -> Void) async throws {
        let folder = try WorkFolder()
        for attempt in 1... {
            let port = try Socket.freePort()
            let process = try ChildProcess([
                "redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--save", "", "--appendonly", "no", "--dir", folder.url.path,
            ])
            defer { process.end() }
            // Another program may have taken the port since.
            guard try await answers(port, process) || attempt == 5 else { continue }
            return try await body(RedisProgram(port: port))
        }
    }

    private static func answers(_ port: Int, _ process: ChildProcess) async throws -> Bool {
        var isReady = false
        try await until("redis-server") {
            isReady = (try? ping(port)) ?? false
            return isReady || !process.isRunning
        }
        return isReady && process.isRunning
    }

    /// Ends every connection on which a client receives what others publish.
    func endSubscriptions() throws {
        let socket = try Socket.connect(to: port)
        defer { socket.shut() }
        try socket.send(Array("CLIENT KILL TYPE pubsub\r\n".utf8))
        _ = try socket.receive()
    }

    /// How many keys it has.
    func count() throws -> Int {
        let socket = try Socket.connect(to: port)
        defer { socket.shut() }
        try socket.send(Array("DBSIZE\r\n".utf8))
        return try socket.receive().flatMap { Int(String(decoding: $0.dropFirst().dropLast(2), as: UTF8.self)) } ?? -1
    }

    private static func ping(_ port: Int) throws -> Bool {
        let socket = try Socket.connect(to: port)
        defer { socket.shut() }
        try socket.send(Array("PING\r\n".utf8))
        return try socket.receive().map { String(decoding: $0, as: UTF8.self) } == "+PONG\r\n"
    }
}

extension Socket {
    /// A port that nothing listens on now.
    fileprivate static func freePort() throws -> Int {
        let (socket, port) = try listening()
        socket.shut()
        return port
    }
}
