import Glibc

/// A `pipe-run serve` of this run, on a free port of the loopback.
struct ServeProcess {
    private static let clients = 4

    private let port: UInt16
    private let process: pid_t

    /// Starts it with these options, and returns when it takes connections.
    init(_ program: String, _ options: String...) throws {
        let socket = try LoopbackSocket()
        port = socket.port
        socket.close()
        process = try ChildProcess([program, "serve", "--port", "\(port)"] + options).start()
        for _ in 0..<1_000 {
            if let client = try? HTTPClient(port: port) {
                client.close()
                return
            }
            usleep(10_000)
        }
        end()
        throw SystemError("connect to pipe-run serve", ETIMEDOUT)
    }

    /// Makes so many requests for 1,000 keys in turn. Each client has a connection of its own, and asks again when it has its answer.
    func ask(_ count: Int) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.clients {
                group.addTask {
                    let client = try HTTPClient(port: port)
                    defer { client.close() }
                    for request in 0..<count / Self.clients { try client.get("/friends?user=\((request * Self.clients + number) % 1_000)") }
                }
            }
            try await group.waitForAll()
        }
    }

    func end() {
        // The threads that run tasks block all other signals, and their children inherit that.
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
}
