import Foundation
import NIOCore
import NIOPosix
import Pipeline
import TestSupport

@testable import SourcesRedis

/// A `redis-server` of one test, on a free loopback port and in a folder of its own.
final class RedisServer: @unchecked Sendable {  // Used by one test alone.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    let folder: TemporaryFolder
    private(set) var port = 0
    private let options: [String]
    private let isSecure: Bool
    private var process: ChildProcess?

    /// Runs `body` with a server that keeps nothing on the disk; it is gone afterwards.
    static func run(
        _ options: [String] = [], isSecure: Bool = false, in folder: TemporaryFolder? = nil, _ body: (RedisServer) async throws -> Void
    ) async throws {
        let server = try RedisServer(options, isSecure: isSecure, folder: folder ?? TemporaryFolder())
        defer { server.kill() }
        // Another process may take the port between finding it and using it.
        for attempt in 1... {
            server.port = try await freePort()
            do {
                try await server.start()
                break
            } catch  where attempt < 5 {
                // It may have been late, and not gone.
                server.kill()
            }
        }
        try await body(server)
    }

    private init(_ options: [String], isSecure: Bool, folder: TemporaryFolder) {
        self.options = options
        self.isSecure = isSecure
        self.folder = folder
    }

    deinit { kill() }

    var authority: String { "127.0.0.1:\(port)" }

    func url(_ credentials: String = "", database: Int = 0) -> String {
        "\(isSecure ? "rediss" : "redis")://\(credentials.isEmpty ? "" : credentials + "@")\(authority)/\(database)"
    }

    /// Starts it, again on the same port when it was killed, and returns when it takes connections.
    func start() async throws {
        let ports = isSecure ? ["--port", "0", "--tls-port", "\(port)"] : ["--port", "\(port)"]
        let process = try ChildProcess(
            ["redis-server", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.path, "--logfile", "server.log"]
                + ports + options)
        self.process = process
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            if let channel {
                try? await channel.close()
                guard process.isRunning else { throw Problem(description: "another server has the port \(port)") }
                return
            }
            guard process.isRunning, ContinuousClock.now < deadline else {
                throw Problem(description: "redis-server does not run: \(folder.text(of: "server.log"))")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends it as a power cut would.
    func kill() {
        process?.end()
        process = nil
    }

    /// Stops it where it stands: connections stay, and are taken, but nothing answers.
    func freeze() { process?.signal(SIGSTOP) }

    func thaw() { process?.signal(SIGCONT) }

    /// What the server answers to a command on a connection of its own.
    func ask(_ arguments: String..., credentials: String = "") async throws -> Reply {
        try await ask(Command(arguments.map { .text($0) }), credentials: credentials)
    }

    func ask(_ command: Command, credentials: String = "") async throws -> Reply {
        guard let url = RedisURL(url(credentials)) else { throw Problem(description: "no URL") }
        let connection = try await Connector(settings: RedisSettings(url: url, timeout: .seconds(20)), clock: .system).connect()
        defer { connection.channel.close(promise: nil) }
        return try await connection.reply(to: command)
    }

    /// How many connections it has had since it started.
    func connectionCount(credentials: String = "") async throws -> Int {
        let name = "total_connections_received:"
        let line = try await ask("INFO", "stats", credentials: credentials).text?.split(separator: "\r\n").first { $0.hasPrefix(name) }
        guard let count = line.flatMap({ Int($0.dropFirst(name.count)) }) else { throw Problem(description: "no count of connections") }
        return count
    }

    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}
