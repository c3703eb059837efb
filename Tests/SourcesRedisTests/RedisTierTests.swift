import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesMemory
@testable import SourcesRedis
import Testing

/// A server as the middle tier: below memory, above an origin.
@Suite(.timeLimit(.minutes(15)))
struct RedisTierTests {
    private let time = ManualClock()
    private let network: StubOrigin
    private let key = Key.user("42")

    init() {
        network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
    }

    private func pipelines(_ server: RedisServer, _ policies: String = "", debounce: String = "") throws -> Pipelines {
        let network = network
        let text = """
            version: 1
            sources:
              memory: { type: memory, max_entries: 100 }
              shared: { type: redis, url: '\(server.url())', timeout: 20s }
              network: { type: stub }
            pipelines:
              friends:
                parameters: [user]
                not_found_ttl: 10s
            \(policies.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                tiers:
                  - { source: memory, ttl: 30s }
                  - { source: shared, ttl: 10m\(debounce) }
                  - network
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.memory, .redis, SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in network }],
            environment: ConfigEnvironment([:]))
        return try Pipelines(report, clock: time.clock)
    }

    /// The attempts of one fetch, its writes done.
    private func trace(_ pipelines: Pipelines) async throws -> String {
        let outcome = try await pipelines.pipeline(named: "friends").fetch(key)
        try await outcome.waitForWrites()
        return outcome.attempts.map { "\($0.source): \($0.outcome.rawValue)" }.joined(separator: ", ")
    }

    @Test func `TI-01, TI-02, WB-01, WB-02 what one process loads, another finds`() async throws {
        try await RedisServer.run { server async throws in
            let (first, second) = (try pipelines(server), try pipelines(server))

            #expect(try await trace(first) == "memory: miss, shared: miss, network: hit")
            #expect(try await trace(first) == "memory: hit")
            #expect(try await trace(second) == "memory: miss, shared: hit")
            #expect(try await trace(second) == "memory: hit")
            #expect(network.readCount == 1)
            await first.shutDown()
            await second.shutDown()
        }
    }

    @Test func `TI-03, WB-03 a server that is away is an attempt and a write that failed, and the value comes all the same`() async throws {
        try await RedisServer.run { server async throws in
            let pipelines = try pipelines(server)
            server.kill()

            let outcome = try await pipelines.pipeline(named: "friends").fetch(key)
            try await outcome.waitForWrites()

            #expect(outcome.attempts.map(\.outcome) == [.miss, .error, .hit])
            #expect(outcome.attempts.map { $0 }[1].reason == "connection refused by \(server.authority)")
            #expect(outcome.writes.map { "\($0)" }.first { $0.contains("shared") }?.contains("connection refused") == true)
            #expect(try await trace(pipelines) == "memory: hit")
            await pipelines.shutDown()
        }
    }

    @Test func `TI-07 a copy that was damaged is invalid, and the next write-back replaces it`() async throws {
        try await RedisServer.run { server async throws in
            let pipelines = try pipelines(server)
            _ = try await server.ask("SET", "pipe-run:\(key.text)", "garbage")

            #expect(try await trace(pipelines) == "memory: miss, shared: invalid, network: hit")
            time.advance(by: .seconds(30))
            #expect(try await trace(pipelines) == "memory: expired, shared: hit")
            await pipelines.shutDown()
        }
    }

    @Test func `each tier's copy expires by its own ttl, also in another process`() async throws {
        try await RedisServer.run { server async throws in
            let first = try pipelines(server)
            _ = try await trace(first)
            time.advance(by: .seconds(599))
            let second = try pipelines(server)
            #expect(try await trace(second) == "memory: miss, shared: hit")

            // A copy never outlives the one it was made from.
            time.advance(by: .seconds(1))
            #expect(try await trace(second) == "memory: expired, shared: expired, network: hit")
            await first.shutDown()
            await second.shutDown()
        }
    }

    @Test func `NG-01 that there is no value is known to all processes`() async throws {
        try await RedisServer.run { server async throws in
            network.answers(.notFound)
            let (first, second) = (try pipelines(server), try pipelines(server))

            #expect(try await trace(first) == "memory: miss, shared: miss, network: not_found")
            #expect(try await trace(second) == "memory: miss, shared: not_found")
            await first.shutDown()
            await second.shutDown()
        }
    }

    @Test(arguments: [
        ("", 600_000), ("stale_while_revalidate: 1h", 4_200_000), ("stale_if_error: 2h\nstale_while_revalidate: 1h", 7_800_000),
    ])
    func `the server keeps a copy for as long as it may be served stale`(policies: String, most: Int64) async throws {
        try await RedisServer.run { server async throws in
            let pipelines = try pipelines(server, policies)
            _ = try await trace(pipelines)

            let life = try await server.ask("PTTL", "pipe-run:\(key.text)")

            guard case .integer(let milliseconds) = life else {
                Issue.record("\(life)")
                return
            }
            #expect(((most - 100_000)...most).contains(milliseconds))
            await pipelines.shutDown()
        }
    }

    @Test func `what is never fresh is kept, and confirmed by another process`() async throws {
        try await RedisServer.run { server async throws in
            network.answers(
                .entry(
                    Entry(
                        Array("[1]".utf8), created: time.now, freshUntil: time.now, etag: "\"1\"",
                        cacheControl: CacheControl(field: "no-cache"))))
            let (first, second) = (try pipelines(server), try pipelines(server))

            #expect(try await trace(first) == "memory: miss, shared: miss, network: hit")
            #expect(try await trace(second) == "memory: miss, shared: expired, network: hit")

            #expect(network.notModifiedCount == 1)
            await first.shutDown()
            await second.shutDown()
        }
    }

    @Test func `FS-09 an expired copy of the server stands in while the origin fails`() async throws {
        try await RedisServer.run { server async throws in
            let first = try pipelines(server, "stale_if_error: 1h")
            _ = try await trace(first)
            await first.shutDown()
            time.advance(by: .seconds(700))
            network.answers(.error())
            let second = try pipelines(server, "stale_if_error: 1h")

            let outcome = try await second.pipeline(named: "friends").fetch(key)

            let payload = try outcome.payload
            #expect(outcome.isStale && payload == Array("[\"v1\"]".utf8))
            await second.shutDown()
        }
    }

    @Test func `IN-09 a removed key and a cleared pipeline are gone from the server`() async throws {
        try await RedisServer.run { server async throws in
            let pipelines = try pipelines(server)
            _ = try await trace(pipelines)

            #expect(try await pipelines.pipeline(named: "friends").remove(key).isComplete)
            #expect(try await trace(pipelines) == "memory: miss, shared: miss, network: hit")
            #expect(try await pipelines.pipeline(named: "friends").clear().isComplete)
            #expect(try await server.ask("DBSIZE") == .integer(0))
            await pipelines.shutDown()
        }
    }

    @Test func `a removal that the server did not hear is told`() async throws {
        try await RedisServer.run { server async throws in
            let pipelines = try pipelines(server)
            _ = try await trace(pipelines)
            server.kill()

            let report = try await pipelines.pipeline(named: "friends").remove(key)

            #expect(!report.isComplete)
            #expect(report.lines.compactMap(\.failure).count == 1)
            await pipelines.shutDown()
        }
    }

    @Test func `a stale copy in memory gives way to what another process has refreshed`() async throws {
        try await RedisServer.run { server async throws in
            let policies = "stale_while_revalidate: 1m"
            let (first, second) = (try pipelines(server, policies), try pipelines(server, policies))
            #expect(try await trace(first) == "memory: miss, shared: miss, network: hit")
            time.advance(by: .seconds(590))
            #expect(try await trace(second) == "memory: miss, shared: hit")
            time.advance(by: .seconds(15))
            network.answers("[\"v2\"]")
            // The one process has no copy in memory that may be served, and refreshes the stale one of the server.
            #expect(try await trace(first) == "memory: expired, shared: stale")
            let friends = try first.pipeline(named: "friends")
            await friends.finishRefreshes()
            try await friends.flush(key)

            let outcome = try await second.pipeline(named: "friends").fetch(key)

            let payload = try outcome.payload
            #expect(payload == Array("[\"v2\"]".utf8) && !outcome.isStale)
            #expect(outcome.attempts.map(\.outcome) == [.expired, .hit])
            #expect(network.readCount == 2)
            await first.shutDown()
            await second.shutDown()
        }
    }
}
