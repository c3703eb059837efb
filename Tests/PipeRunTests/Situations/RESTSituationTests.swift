import Foundation
import Testing

@testable import PipelineServer

extension CommandLineTests {
    /// A REST API with a token and pages, behind memory and a database.
    @Suite struct RESTSituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              db: { type: sqlite, path: .cache/copies.db }
              api:
                type: http
                url: ${API}/users/{user}/repos
                timeout: "${API_TIMEOUT:-2s}"
                headers: { Authorization: "Bearer ${API_TOKEN}" }
                query: { page: "{page}" }
            pipelines:
              repos:
                parameters: { user: {}, page: { default: "1" } }
                tiers:
                  - { source: memory, ttl: 30s }
                  - { source: db, ttl: "${DB_TTL:-10m}" }
                  - api
            """
        private static let token = "tok-5up3r-s3cret-value"

        private static func environment(_ api: OddServer, token: String = token) -> [String: String] {
            ["API": api.url, "API_TOKEN": token]
        }

        /// The page that a request asks for, as the origin's answer.
        private static func page(of request: String) -> OddServer.Reply {
            guard request.contains("Authorization: Bearer \(token)") || request.contains("authorization: Bearer \(token)") else {
                return .bytes(
                    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 27\r\nConnection: close\r\n\r\n{\"message\":\"bad \(token)\"}")
            }
            let page = request.firstMatch(of: /[?&]page=([0-9]+)/).map { String($0.1) } ?? "none"
            return .value("[\"page \(page)\"]")
        }

        @Test func `each page is asked for once, with the token, and then the database answers`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let folder = try WorkFolder(Self.config)
                let environment = Self.environment(api)

                for page in ["1", "2", "1", "2"] {
                    let ran = try await folder.run("fetch", "repos", "user=ann", "page=\(page)", environment: environment)
                    #expect(ran.lines == ["[\"page \(page)\"]"], "\(ran.everything)")
                }
                let byDefault = try await folder.run("fetch", "repos", "user=ann", "--output", "envelope", environment: environment)

                #expect(
                    api.heads.map { $0.components(separatedBy: "\r\n")[0] } == [
                        "GET /users/ann/repos?page=1 HTTP/1.1", "GET /users/ann/repos?page=2 HTTP/1.1",
                    ])
                #expect(try Envelope(byDefault).from == "db")
            }
        }

        @Test func `a server answers from memory, the same request in a moment asks nothing else`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let folder = try WorkFolder(Self.config)
                try await folder.serving(environment: Self.environment(api)) { server in
                    let first = try await server.get("/repos?user=ann")
                    let second = try await server.get("/repos?user=ann&page=1")

                    #expect(first.text == "[\"page 1\"]" && second.text == first.text)
                    #expect(second["Cache-Status"]?.hasPrefix("\"memory\"; hit") == true, "\(second.headers)")
                    #expect(api.count == 1)
                }
            }
        }

        @Test func `a name that means something in a URL stays one part of the path`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let ran = try await WorkFolder(Self.config).run(
                    "fetch", "repos", "user=../admin?x=1", environment: Self.environment(api))

                #expect(ran.status == 0, "\(ran.everything)")
                #expect(api.heads.first?.hasPrefix("GET /users/%2E%2E%2Fadmin%3Fx%3D1/repos?page=1 ") == true, "\(api.heads)")
            }
        }

        @Test func `a token that is refused is told with what the API says, and never shown`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let folder = try WorkFolder(Self.config)
                let wrong = "tok-wrong-0123456789"

                let ran = try await folder.run(
                    "fetch", "repos", "user=ann", "--trace", environment: Self.environment(api, token: wrong))
                let envelope = try await folder.run(
                    "fetch", "repos", "user=ann", "--output", "envelope", environment: Self.environment(api, token: wrong))

                #expect(ran.status == 1 && ran.errors.contains("401"), "\(ran.everything)")
                #expect(!ran.everything.contains(wrong) && !envelope.everything.contains(wrong))
                #expect(try Envelope(envelope).outcome == "failed")
            }
        }

        @Test func `validate names the token that is not set, and asks no source`() async throws {
            try await OddServer.run(.silence) { api in
                let ran = try await WorkFolder(Self.config).run("validate", environment: ["API": api.url])

                #expect(ran.status == 1 && ran.text.contains("error[P401]") && ran.text.contains("API_TOKEN"), "\(ran.everything)")
                #expect(api.count == 0)
            }
        }

        @Test func `each sentence of explain holds`() async throws {
            var said = try await Situation(Self.config, fetch: ["repos", "user=ann"], origin: "api") {
                ["API": $0, "API_TOKEN": Self.token]
            }
            try await Self.asking(&said)
            try await Self.foreignCopies(&said)
            try await said.holdFormat()
            try await said.holdHeaders()
            try await said.holdSharing()
            try await Self.copies(&said)
            try await said.holdWriting(caches: ["memory", "db"], Self.breakDatabase)
            try await Self.failures(&said)
            try await said.holdTimes(
                atOnce: "memory",
                limits: [
                    ("db", 30, "`db` has 30s to answer."), ("api", 2, "`api` has 2s to answer, the limit of its source."),
                ], whole: "The time limits of the tiers add up to 32s; there is no deadline for the whole fetch.")
            try await said.holdAbsence(
                ends: "When `api` says that there is no value, the fetch ends with not_found.",
                removes: "Copies of the value that `memory` or `db` still has are removed.", caches: ["memory", "db"])
            said.end()
        }

        private static func foreignCopies(_ said: inout Situation) async throws {
            let another = try await said.stage({ request, _ in page(of: request) }) { stage in
                _ = try await stage.fetch()
                return try await stage.fetch(changing: ["API_TOKEN": "tok-an0ther-s3cret-value"])
            }
            said.hold(
                "A copy in `db` may be one that another `API_TOKEN` was given: it is kept under the parameters, not under what `api` is sent.",
                another.from == "db", another)
        }

        /// A folder where the database should be.
        private static func breakDatabase(_ stage: Situation.Stage) throws -> [String: String] {
            try stage.folder.write(".cache/copies.db/x", "in the way")
            return [:]
        }

        private static func asking(_ said: inout Situation) async throws {
            let (cold, again, without, heads) = try await said.stage({ request, _ in page(of: request) }) { stage in
                let cold = try await stage.fetch()
                let again = try await stage.fetches("--repeat", "2")
                return (cold, again, try await stage.folder.run("fetch", "repos", environment: stage.environment()), stage.origin.heads)
            }
            said.hold(
                "A fetch of `repos` asks `memory` first, then `db` (sqlite), then `api` (http), and stops at the first answer.",
                cold.order == ["memory", "db", "api"] && again.map(\.order) == [["memory", "db"], ["memory"]], (cold, again))
            said.hold(
                "It takes the parameter `user`, which must be given.", without.status == 64 && without.errors.contains("`user`"), without)
            said.hold(
                "It takes the parameter `page`, which is `1` unless it is given.",
                heads.map { $0.contains("/users/ann/repos?page=1 ") } == [true] && cold.parameters["page"] == "1", heads)
        }

        private static func copies(_ said: inout Situation) async throws {
            let (fromDatabase, fromMemory, short) = try await said.stage({ request, _ in page(of: request) }) { stage in
                _ = try await stage.fetch()
                let fromDatabase = try await stage.fetch()
                let fresh = try await stage.fetches("--repeat", "2", "--policy", "refresh") + stage.fetches("--repeat", "2")
                return (fromDatabase, fresh, try await self.short(said))
            }
            let memory = fromMemory.first { $0.from == "memory" }
            said.hold(
                "A copy in `memory` is fresh for 30s after it was written there, and never longer than the copy that it was made from.",
                memory.map { ($0.freshFor ?? .infinity) <= 30_000 && $0.life >= 29_998 } == true
                    && short.memory.life <= short.database.life + 1,
                (memory, short))
            let life = fromDatabase.from == "db" && (fromDatabase.freshFor ?? .infinity) <= 600_000 && fromDatabase.life >= 599_998
            said.hold(
                "A copy in `db` is fresh for 10m after it was written there, and never longer than the copy that it was made from.", life,
                fromDatabase)
            said.hold(
                "A value is served as fresh for at most 10m after an origin gave or confirmed it.",
                life && short.database.life < 30_000 && short.memory.life < 30_000, (fromDatabase, short))
            try await expired(&said)
        }

        /// Copies in a database that keeps them for less time than memory.
        private static func short(_ said: Situation) async throws -> (database: Envelope, memory: Envelope) {
            try await said.stage({ request, _ in page(of: request) }) { stage in
                let changes = ["DB_TTL": "20s"]
                _ = try await stage.fetch(changing: changes)
                let both = try await stage.fetches("--repeat", "2", changing: changes)
                #expect(both.map(\.from) == ["db", "memory"])
                return (both[0], try #require(both.last))
            }
        }

        private static func expired(_ said: inout Situation) async throws {
            let expired = try await said.stage({ request, number in number == 1 ? page(of: request) : .status(500) }) { stage in
                _ = try await stage.fetch(changing: ["DB_TTL": "50ms"])
                return try await stage.fetch(until: { $0["db"] == "expired" }, changing: ["DB_TTL": "50ms"])
            }
            said.hold("An expired copy is never served.", expired.outcome == "failed", expired)
            let (header, later) = try await said.stage({ request, _ in page(of: request) }) { stage in
                var headers: [String] = []
                for _ in 0..<2 {
                    try await stage.serving { server in headers.append(try await server.get(stage.target)["Cache-Status"] ?? "") }
                }
                return (headers, try await stage.fetch())
            }
            said.hold(
                "What `api` answers is written to `memory` before the fetch returns, and to `db` after that.",
                header[0].contains("\"memory\"; fwd=miss; stored") && later.from == "db", (header, later))
            said.hold(
                "What `db` answers is written to `memory` before the fetch returns.",
                header[1].contains("\"memory\"; fwd=miss; stored") && header[1].contains("\"db\"; hit"), header)
        }

        private static func failures(_ said: inout Situation) async throws {
            let (broken, down, answers) = try await said.stage({ request, number in number == 1 ? page(of: request) : .status(500) }) {
                stage in
                _ = try breakDatabase(stage)
                let broken = try await stage.fetch()
                return (broken, try await stage.fetch(), try await said.stage(.status(404)) { try await $0.fetch() })
            }
            said.hold("When `db` fails, `api` is asked.", broken["db"] == "error" && broken.from == "api", broken)
            said.hold("When `api` fails, no tier is left to ask.", down["api"] == "error" && down.order.last == "api", down)
            said.hold(
                "When a tier failed and none has an answer, the fetch fails with `every_tier_failed`, which names what each of them did.",
                down.error?.code == "every_tier_failed" && down.order.allSatisfy { down.error?.message.contains("\($0): ") == true }, down)
            said.hold(
                "`api` is an origin: it gives a fresh value, says that there is none, or fails.",
                broken["api"] == "hit" && !broken.stale && answers["api"] == "not_found" && down["api"] == "error", (broken, answers, down))
        }
    }
}
