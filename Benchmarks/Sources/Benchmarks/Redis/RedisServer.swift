import Glibc

/// A `redis-server` of this run, on a free port of the loopback, that keeps nothing on the disk.
struct RedisServer {
    let port: UInt16
    private let process: pid_t

    /// Starts it, and returns when it takes connections.
    init(in folder: TemporaryFolder) throws {
        let socket = try LoopbackSocket()
        port = socket.port
        socket.close()
        process = try ChildProcess(
            "redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--save", "", "--appendonly", "no", "--dir", folder.path
        ).start()
        for _ in 0..<1_000 {
            if (try? BareRedis(port: port, key: "")) != nil { return }
            usleep(10_000)
        }
        end()
        throw SystemError("connect to redis-server", ETIMEDOUT)
    }

    var url: String { "redis://127.0.0.1:\(port)" }

    func end() {
        // The threads that run tasks block all other signals, and their children inherit that.
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
}
