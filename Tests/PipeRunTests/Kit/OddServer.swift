import Foundation

/// A bare server on a free loopback port, for the answers that a decent one does not give. Counts what it is asked.
final class OddServer: @unchecked Sendable {  // All state is guarded by `condition`.
    enum Reply: Sendable {
        /// Status 200 with a payload.
        case value(String)
        /// Any bytes, and the end of the connection.
        case bytes(String)
        /// A status without a body.
        case status(Int)
        /// Nothing, ever.
        case silence
        /// The end of the connection, without a word.
        case end
        /// The reply after ``OddServer/release()``.
        indirect case held(Reply)
    }

    let port: Int
    private let socket: Socket
    private let condition = NSCondition()
    private var requests: [String] = []
    private var connections: [Socket] = []
    private var ended = 0
    private var isReleased = false
    private var isStopped = false
    private let reply: @Sendable (_ request: String, _ number: Int) -> Reply

    var url: String { "http://127.0.0.1:\(port)" }

    /// The heads of the requests up to now.
    var heads: [String] { condition.withLock { requests } }

    /// How many connections were made to it.
    var connectionCount: Int { condition.withLock { connections.count } }

    /// How often it was asked.
    var count: Int { heads.count }

    /// Runs `body` with a server that gives each request, numbered from 1, its reply.
    static func run(
        _ reply: @escaping @Sendable (_ request: String, _ number: Int) -> Reply, _ body: (OddServer) async throws -> Void
    ) async throws {
        let server = try OddServer(reply)
        defer { server.stop() }
        try await body(server)
    }

    static func run(_ reply: Reply, _ body: (OddServer) async throws -> Void) async throws {
        try await run({ _, _ in reply }, body)
    }

    private init(_ reply: @escaping @Sendable (String, Int) -> Reply) throws {
        (socket, port) = try Socket.listening()
        self.reply = reply
        Thread.detachNewThread { [self] in
            while let connection = socket.accept() {
                condition.withLock { connections.append(connection) }
                Thread.detachNewThread {
                    try? self.serve(connection)
                    self.noteEnd()
                }
            }
        }
    }

    /// Lets the held replies go.
    func release() {
        condition.withLock {
            isReleased = true
            condition.broadcast()
        }
    }

    /// Ends all connections, and takes no further ones.
    func stop() {
        socket.shut()
        condition.withLock {
            isStopped = true
            for connection in connections { connection.shut() }
            condition.broadcast()
        }
    }

    /// Returns when it has been asked `count` times.
    func asked(_ count: Int = 1) async throws {
        try await blocking { [self] in
            condition.lock()
            defer { condition.unlock() }
            let limit = Date(timeIntervalSinceNow: patience)
            while requests.count < count {
                guard condition.wait(until: limit) else { throw TooLong(description: "asked \(requests.count) times") }
            }
        }
    }

    /// Returns when `count` connections have been ended by the other side.
    func left(_ count: Int = 1) async throws {
        try await blocking { [self] in
            condition.lock()
            defer { condition.unlock() }
            let limit = Date(timeIntervalSinceNow: patience)
            while ended < count {
                guard condition.wait(until: limit) else { throw TooLong(description: "left by \(ended)") }
            }
        }
    }

    private func noteEnd() {
        condition.withLock {
            ended += 1
            condition.broadcast()
        }
    }

    private func serve(_ connection: Socket) throws {
        var received: [UInt8] = []
        while let chunk = try connection.receive() {
            received += chunk
            while let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                received.removeSubrange(..<end.upperBound)
                let number = condition.withLock {
                    requests.append(head)
                    condition.broadcast()
                    return requests.count
                }
                try give(reply(head, number), to: connection)
            }
        }
    }

    private func give(_ reply: Reply, to connection: Socket) throws {
        switch reply {
        case .value(let text):
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
            try connection.send(Array((head + text).utf8))
        case .bytes(let text):
            try connection.send(Array(text.utf8))
            connection.shut()
        case .status(let status): try connection.send(Array("HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\n\r\n".utf8))
        case .silence: break
        case .end: connection.shut()
        case .held(let reply):
            condition.withLock { while !isReleased, !isStopped { condition.wait() } }
            try give(reply, to: connection)
        }
    }
}
