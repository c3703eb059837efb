import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    /// Four processes on one Redis server.
    @Suite struct SharedSituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              shared: { type: redis, url: "${REDIS}", invalidation: true, shared_flight: true }
              api: { type: http, url: "${API}/friends" }
            pipelines:
              friends:
                stale_if_error: 1h
                tiers:
                  - { source: memory, ttl: 1h }
                  - { source: shared, ttl: 2h }
                  - api
            """

        @Test func `a value that none has is loaded once, and one removal reaches all`() async throws {
            try await RedisProgram.run { redis in
                try await OddServer.run({ _, number in .value("[\(number)]") }) { api in
                    let folder = try WorkFolder(Self.config)
                    let environment = ["REDIS": redis.url, "API": api.url]
                    try await folder.serving(environment: environment) { one in
                        try await folder.serving(environment: environment) { two in
                            try await folder.serving(environment: environment) { three in
                                let servers = [one, two, three]
                                let answers = try await Self.ask(servers + servers)
                                #expect(Set(answers) == ["[1]"] && api.count == 1, "\(answers)")

                                let removed = try await folder.run("remove", "friends", environment: environment)
                                #expect(removed.status == 0, "\(removed.everything)")
                                for server in servers {
                                    try await until("every process has forgotten") {
                                        (try? Request("GET", "/friends", port: server.port).answer().text) == "[2]"
                                    }
                                }
                                #expect(api.count == 2)
                            }
                        }
                    }
                }
            }
        }

        @Test func `while the server is away every process goes on with the API`() async throws {
            try await OddServer.run({ _, number in .value("[\(number)]") }) { api in
                var url = ""
                try await OddServer.run(.silence) { url = "redis://127.0.0.1:\($0.port)" }

                let ran = try await WorkFolder(Self.config).run(
                    "fetch", "friends", "--output", "envelope", environment: ["REDIS": url, "API": api.url])
                let envelope = try Envelope(ran)

                #expect(ran.status == 0 && envelope.from == "api", "\(ran.everything)")
                #expect(envelope.tiers.first { $0.source == "shared" }?.outcome == "error")
            }
        }

        /// What each of the servers answers, all asked at the same time.
        private static func ask(_ servers: [Serving]) async throws -> [String] {
            try await withThrowingTaskGroup(of: String.self) { group in
                for server in servers { group.addTask { try await server.get("/friends").text } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }
}
