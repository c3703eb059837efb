import Foundation
import Testing

@testable import PipelineServer

extension CommandLineTests {
    /// Four processes on one Redis server.
    @Suite struct SharedSituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              shared: { type: redis, url: "${REDIS}", prefix: "${STAGE:-pipe-run:}", invalidation: true, shared_flight: true, timeout: "${REDIS_TIMEOUT:-1s}" }
              api: { type: http, url: "${API}/friends", timeout: "${API_TIMEOUT:-2s}" }
            pipelines:
              friends:
                stale_if_error: "${STALE:-1h}"
                tiers:
                  - { source: memory, ttl: "${MEMORY_TTL:-1h}" }
                  - { source: shared, ttl: "${SHARED_TTL:-2h}" }
                  - api
            """

        @Test func `a value that none has is loaded once, and one removal reaches all`() async throws {
            try await RedisProgram.run { redis in
                try await OddServer.run({ _, number in .value("[\(number)]") }) { api in
                    let folder = try WorkFolder(Self.config)
                    // A process that a busy machine keeps from Redis for that long would load alone.
                    let environment = ["REDIS": redis.url, "API": api.url, "REDIS_TIMEOUT": "30s"]
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

        @Test func `each sentence of explain holds`() async throws {
            try await RedisProgram.run { redis in
                var said = try await Situation(Self.config, fetch: ["friends"], origin: "api") { url in
                    ["API": url, "REDIS": redis.url]
                }
                try await Self.asking(&said)
                try await said.holdFormat()
                try await said.holdHeaders()
                try await said.holdSharing()
                try await Self.dying(&said)
                try await said.holdMemory(
                    "A copy in `memory` is fresh for 1h after it was written there, and never longer than the copy that it was made from.",
                    seconds: 3600, longer: (["MEMORY_TTL": "3h", "SHARED_TTL": "30m"], 1800))
                try await said.holdWriting(caches: ["memory", "shared"]) { _ in ["REDIS": "redis://127.0.0.1:1"] }
                try await Self.failing(&said)
                try await Self.through(&said, redis)
                try await said.holdTimes(
                    atOnce: "memory",
                    limits: [
                        ("shared", 1, "`shared` has 1s to answer, the limit of its source."),
                        ("api", 2, "`api` has 2s to answer, the limit of its source."),
                    ],
                    whole:
                        "The time limits of the tiers add up to 3s, and a load of another process is waited for before that; there is no "
                        + "deadline for the whole fetch."
                ) { ["REDIS": "redis://127.0.0.1:\($0.origin.port)"] }
                try await said.holdAbsence(
                    ends: "When `api` says that there is no value, the fetch ends with not_found: no stale copy takes its place.",
                    removes: "Copies of the value that `memory` or `shared` still has are removed.", caches: ["memory", "shared"])
                said.end()
            }
        }

        private static func asking(_ said: inout Situation) async throws {
            let (cold, warm, headers) = try await said.stage(.value("[1]")) { stage in
                var headers: [String] = []
                try await stage.serving { headers.append(try await $0.get("/friends")["Cache-Status"] ?? "") }
                // Memory answers when the process has begun to listen.
                let warm = try await stage.fetches(until: { $0.last?.from == "memory" }, "--repeat", "50")
                try await stage.serving { headers.append(try await $0.get("/friends")["Cache-Status"] ?? "") }
                return (try await said.stage(.value("[1]")) { try await $0.fetch() }, warm, headers)
            }
            said.hold(
                "A fetch of `friends` asks `memory` first, then `shared` (redis), then `api` (http), and stops at the first answer.",
                cold.order == ["memory", "shared", "api"] && warm.first?.order == ["memory", "shared"] && warm.last?.order == ["memory"],
                (cold, warm))
            let isLife = (warm[0].freshFor ?? .infinity) <= 7_200_000 && warm[0].life >= 7_199_998
            said.hold(
                "A copy in `shared` is fresh for 2h after it was written there, and never longer than the copy that it was made from.",
                isLife,
                warm[0])
            said.hold(
                "What `api` answers is written to `memory` before the fetch returns, and to `shared` after that.",
                headers[0].contains("\"memory\"; fwd=miss; stored") && warm[0].from == "shared", headers)
            said.hold(
                "What `shared` answers is written to `memory` before the fetch returns.",
                headers[1].contains("\"shared\"; hit") && headers[1].contains("\"memory\"; fwd=miss; stored"), headers)
            let old = try await said.stage({ _, number in .value("[\(number)]") }) { stage in
                _ = try await stage.fetch(changing: ["SHARED_TTL": "50ms"])
                return try await stage.fetch(until: { $0["shared"] == "expired" }, changing: ["SHARED_TTL": "50ms"])
            }
            said.hold(
                "A value is served as fresh for at most 2h after an origin gave or confirmed it.", isLife && old.from == "api", (warm, old))
        }

        /// A process that is killed while it loads.
        private static func dying(_ said: inout Situation) async throws {
            let (shared, asked) = try await said.stage(.held(.value("[1]"))) { stage in
                let environment = stage.environment(["API_TIMEOUT": "1m"])
                let arguments = ["fetch", "friends", "--output", "envelope"]
                let first = try stage.folder.start(arguments, environment: environment)
                try await stage.origin.asked()
                let second = try stage.folder.start(arguments, environment: environment)
                first.send(SIGKILL)
                _ = try await first.ran()
                try await stage.origin.asked(2)
                let third = try stage.folder.start(arguments, environment: environment)
                stage.origin.release()
                let envelopes = [try Envelope(try await second.ran()), try Envelope(try await third.ran())]
                return (envelopes, stage.origin.count)
            }
            said.hold(
                "Of several processes that find no fresh copy in `shared`, one loads; the others wait for its copy there. When that process "
                    + "dies, one of them loads after 5s at the latest.", shared.map(\.from) == ["api", "shared"] && asked == 2,
                (shared, asked))
        }

        /// An origin that fails once a copy is there.
        private static func failing(_ said: inout Situation) async throws {
            let reply: @Sendable (String, Int) -> OddServer.Reply = { _, number in number == 1 ? .value("[1]") : .status(500) }
            let (down, failed) = try await said.stage(reply) { stage in
                let changes = ["REDIS": "redis://127.0.0.1:1"]
                return (try await stage.fetch(changing: changes), try await stage.fetch(changing: changes))
            }
            said.hold("When `shared` fails, `api` is asked.", down["shared"] == "error" && down.from == "api", down)
            said.hold("When `api` fails, no tier is left to ask.", failed["api"] == "error" && failed.order.last == "api", failed)
            let absent = try await said.stage(.status(404)) { try await $0.fetch() }
            said.hold(
                "`api` is an origin: it gives a fresh value, says that there is none, or fails.",
                down["api"] == "hit" && !down.stale && absent["api"] == "not_found" && failed["api"] == "error", (down, absent, failed))
            func expired(_ window: String) async throws -> (envelopes: [Envelope], asked: Int) {
                try await said.stage(reply) { stage in
                    let changes = ["SHARED_TTL": "50ms", "STALE": window]
                    _ = try await stage.fetch(changing: changes)
                    let envelopes = try await stage.fetches(
                        until: { $0[0].from != "shared" || $0[0].stale }, "--repeat", "9", changing: changes)
                    return (envelopes, stage.origin.count - 1)
                }
            }
            let (stale, asked) = try await expired("1h")
            let over = try await expired("1ms").envelopes
            let isStale = stale.allSatisfy { $0.stale && $0.from == "shared" }
            said.hold(
                "When the load fails, the newest copy that was found expired is served, marked stale, if it expired less than 1h ago; the "
                    + "origins are then not asked again for this key for 1s.",
                isStale && asked < stale.count && stale.contains { $0["api"] == "skipped" }, (stale, asked))
            said.hold(
                "While loads fail, it is served stale for at most 3h after that.", isStale && over.last?.outcome == "failed", (stale, over))
            said.hold(
                "When a tier failed and none has an answer, the fetch fails with `every_tier_failed`, which names what each of them did, "
                    + "unless a cache has a stale copy that may be served.",
                isStale && failed.error?.code == "every_tier_failed"
                    && failed.order.allSatisfy { failed.error?.message.contains("\($0): ") == true }, (stale, failed))
        }

        /// A server with a copy in memory, while other processes change it, and while the connection is lost.
        private static func through(_ said: inout Situation, _ redis: RedisProgram) async throws {
            let (texts, lost) = try await said.stage({ _, number in .value("[\(number)]") }) { stage in
                var (texts, lost): ([String], [Answer]) = ([], [])
                try await stage.serving { server in
                    func get() -> Answer? { try? Request("GET", "/friends", port: server.port).answer() }
                    // It hears from now on.
                    try await until("a copy in memory") { get()?["Cache-Status"]?.hasPrefix("\"memory\"; hit") == true }
                    for (arguments, input) in [
                        (["remove", "friends"], ""), (["put", "friends"], "[0]"), (["fetch", "friends", "--policy", "refresh"], ""),
                    ] {
                        let before = get()?.text
                        let ran = try await stage.folder.start(arguments, environment: stage.environment(), input: Array(input.utf8)).ran()
                        #expect(ran.status == 0, "\(ran.everything)")
                        try await until("the change by \(arguments)") { get().map { $0.text != before } ?? false }
                        texts.append(get()?.text ?? "")
                    }
                    try await until("a copy in memory") { get()?["Cache-Status"]?.hasPrefix("\"memory\"; hit") == true }
                    try redis.endSubscriptions()
                    // The first fetch after the process subscribed again writes a new copy.
                    try await until("the copy to count as expired") {
                        guard let answer = get() else { return false }
                        lost.append(answer)
                        return answer["Cache-Status"]?.contains("\"memory\"; fwd=stale") == true
                    }
                }
                return (texts, lost)
            }
            let last = texts.last ?? ""
            said.hold(
                "What another process removes, puts or refreshes is dropped from `memory` as soon as `shared` publishes that; while the "
                    + "connection is lost, a copy is served as long as said above.",
                texts.count == 3 && texts[1] == "[0]" && lost.allSatisfy { $0.text == last }, (texts, lost))
            said.hold(
                "A copy in `memory` that was stored before the process subscribed, or subscribed again, counts as expired until it is "
                    + "confirmed.", lost.last?.text == last, lost)
        }
    }
}
