import Foundation
import GRDB
import Pipeline
import Testing

@testable import PipelineServer

import class TestSupport.ChildProcess

extension WaitingTests {
    /// Processes that share a cache, and one of them loads for longer than a lease lasts, or dies while it loads.
    @Suite struct LeaseProcessTests {
        enum Cache: CaseIterable {
            case sqlite, redis
        }

        private static let count = 5

        /// Every process asks at the door first, so that the test knows that it is there; the door is broken, and it goes on.
        private static func config(_ cache: String) -> String {
            """
            sources:
              door: { type: http, url: "${ORIGIN}/door", query: { who: "${WHO}" } }
              db: { \(cache) }
              api: { type: http, url: "${ORIGIN}/api", query: { who: "${WHO}" } }
            pipelines:
              friends:
                tiers: [door, { source: db, ttl: 1h }, api]
            """
        }

        /// When the only lease that a cache holds ends, as it stands there; nil where there is none.
        private typealias LeaseEnd = () throws -> Duration?

        /// Runs `body` with the fields of a cache that shares flights as `sharedFlight` says, and with what looks up its lease once it is used.
        private static func withCache(
            _ cache: Cache, _ sharedFlight: String, _ body: (String, (WorkFolder) throws -> LeaseEnd) async throws -> Void
        ) async throws {
            switch cache {
            case .sqlite:
                try await body("type: sqlite, path: .cache/cache.db, shared_flight: \(sharedFlight)") { folder in
                    var configuration = Configuration()
                    configuration.readonly = true
                    let database = try DatabaseQueue(
                        path: folder.url.appending(path: ".cache/cache.db").path(percentEncoded: false), configuration: configuration)
                    return { try database.read { try Int64.fetchOne($0, sql: "SELECT expires FROM leases") }.map { .nanoseconds($0) } }
                }
            case .redis:
                let server = try await RedisProcess.started()
                defer { server.process.end() }
                try await body("type: redis, timeout: 30s, url: 'redis://127.0.0.1:\(server.port)', shared_flight: \(sharedFlight)") { _ in
                    { try server.leaseEnd() }
                }
            }
        }

        private static func asked(_ origin: OddServer, at path: String) -> [Int] {
            origin.heads.filter { $0.hasPrefix("GET /\(path)?") }.compactMap { $0.firstMatch(of: /who=([0-9]+)/).flatMap { Int($0.1) } }
        }

        private static func start(in folder: WorkFolder, _ origin: OddServer) async throws -> [PipeRunProcess] {
            let processes = try (0..<count).map { number in
                try folder.start(
                    ["fetch", "friends", "--output", "envelope"], environment: ["ORIGIN": origin.url, "WHO": "\(number)"])
            }
            try await until("all processes, and one that loads") {
                asked(origin, at: "door").count == count && asked(origin, at: "api").count == 1
            }
            return processes
        }

        private static func run(_ body: (OddServer) async throws -> Void) async throws {
            try await OddServer.run(
                { request, _ in request.hasPrefix("GET /door") ? .status(500) : .held(.value("[1]")) }, body)
        }

        @Test(arguments: Cache.allCases) func `CO-18 a load that takes longer than the lease is made once`(cache: Cache) async throws {
            try await Self.withCache(cache, "{ lease: 4s }") { fields, leaseEnd in
                try await Self.run { origin in
                    let folder = try WorkFolder(Self.config(fields))
                    let processes = try await Self.start(in: folder, origin)

                    let end = try leaseEnd(folder)
                    let first = try #require(try end())
                    try await until("renewals over two leases") { try end().map { $0 >= first + .seconds(8) } ?? false }
                    origin.release()
                    var envelopes: [Envelope] = []
                    for process in processes { envelopes.append(try Envelope(try await process.ran())) }

                    #expect(Self.asked(origin, at: "api").count == 1)
                    #expect(envelopes.filter { $0.from == "api" }.count == 1)
                    #expect(envelopes.filter { $0.from == "db" }.count == Self.count - 1)
                }
            }
        }

        @Test(arguments: Cache.allCases, [SIGKILL, SIGSTOP])
        func `CO-18 when the process that loads dies or stands still, one other loads when the lease ends`(
            cache: Cache, signal: Int32
        ) async throws {
            try await Self.withCache(cache, "true") { fields, leaseEnd in
                try await Self.run { origin in
                    let folder = try WorkFolder(Self.config(fields))
                    let processes = try await Self.start(in: folder, origin)
                    let holder = try #require(Self.asked(origin, at: "api").first)

                    let end = try leaseEnd(folder)
                    let first = try #require(try end())
                    try await until("a renewal") { try end().map { $0 > first } ?? false }
                    #expect(Self.asked(origin, at: "api").count == 1)
                    processes[holder].send(signal)
                    // The lease lasts 5 s; a longer one would be waited for in vain.
                    try await until("the one that takes over") { Self.asked(origin, at: "api").count > 1 }
                    origin.release()
                    var envelopes: [Envelope] = []
                    for (number, process) in processes.enumerated() where number != holder {
                        envelopes.append(try Envelope(try await process.ran()))
                    }

                    #expect(Self.asked(origin, at: "api").count == 2)
                    #expect(envelopes.filter { $0.from == "api" }.count == 1)
                    #expect(envelopes.filter { $0.from == "db" }.count == Self.count - 2)
                    processes[holder].send(SIGKILL)
                    _ = try await processes[holder].ran()
                }
            }
        }
    }
}

/// A `redis-server` that keeps nothing on the disk.
private struct RedisProcess {
    let process: ChildProcess
    let port: Int

    /// One that takes connections.
    static func started() async throws -> RedisProcess {
        let port = try Socket.listening().port
        let process = try ChildProcess([
            "redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--save", "", "--appendonly", "no",
        ])
        do {
            try await until("redis-server") { (try? Socket.connect(to: port)) != nil }
        } catch {
            process.end()
            throw error
        }
        return RedisProcess(process: process, port: port)
    }

    /// When the only lease on the server ends.
    func leaseEnd() throws -> Duration? {
        let socket = try Socket.connect(to: port)
        try socket.send(Array("EVAL \"return redis.call('PEXPIRETIME', redis.call('KEYS', '*lease:*')[1] or '')\" 0\r\n".utf8))
        guard let reply = try socket.receive(), let end = Int(String(decoding: reply.dropFirst().dropLast(2), as: UTF8.self)), end > 0
        else {
            return nil
        }
        return .milliseconds(end)
    }
}
