import Foundation
import Testing

@testable import PipelineServer

extension WaitingTests {
    /// An upstream that fails often, with retry, circuit breaker and stale windows.
    @Suite struct FlakySituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              api: { type: http, url: "${API}/prices/{id}", timeout: 2s }
            pipelines:
              prices:
                parameters: [id]
                stale_if_error: "${STALE:-1h}"
                tiers:
                  - { source: memory, ttl: 1s }
                  - source: api
                    retry: { attempts: 3, base: 10ms, max: 20ms }
                    circuit_breaker: { failures: 6, open_for: 4s }
            """

        @Test func `a failure is tried again, and the caller sees a value`() async throws {
            try await OddServer.run({ _, number in number < 3 ? .status(503) : .value("[3]") }) { api in
                let ran = try await WorkFolder(Self.config).run(
                    "fetch", "prices", "id=1", "--output", "envelope", environment: ["API": api.url])

                #expect(try Envelope(ran).outcome == "value" && api.count == 3, "\(ran.everything)")
            }
        }

        @Test func `while the circuit is open nothing is asked, then one request is let through`() async throws {
            let isWell = Flag()
            try await OddServer.run({ _, _ in isWell.isRaised ? .value("[1]") : .status(500) }) { api in
                let folder = try WorkFolder(Self.config)
                try await folder.serving(environment: ["API": api.url]) { server in
                    for _ in 0..<2 { _ = try await server.get("/prices?id=1") }
                    let asked = api.count
                    #expect(asked == 6)
                    let resting = try await server.get("/prices?id=2")
                    #expect(resting.status == 502 && resting.text.contains("circuit open"), "\(resting.text)")
                    #expect(api.count == asked)

                    // The one that is let through is not tried again.
                    try await until("a request that is let through") {
                        _ = try? Request("GET", "/prices?id=3", port: server.port).answer()
                        return api.count > asked
                    }
                    #expect(api.count == asked + 1)
                    isWell.raise()
                    try await until("a closed circuit") {
                        (try? Request("GET", "/prices?id=4", port: server.port).answer().status) == 200
                    }
                    let last = try await server.get("/prices?id=5")
                    #expect(last.status == 200)
                }
            }
        }

        @Test func `a bad key costs the good ones nothing`() async throws {
            try await OddServer.run({ request, _ in request.contains("/prices/bad") ? .status(422) : .value("[1]") }) { api in
                try await WorkFolder(Self.config).serving(environment: ["API": api.url]) { server in
                    var bad: [Int] = []
                    for _ in 0..<5 { bad.append(try await server.get("/prices?id=bad").status) }
                    let good = try await server.get("/prices?id=good")

                    #expect(bad == [502, 502, 502, 502, 502] && good.status == 200)
                }
            }
        }

        @Test func `an expired copy is given while the upstream fails`() async throws {
            let isBroken = Flag()
            try await OddServer.run({ _, _ in isBroken.isRaised ? .status(500) : .value("[1]") }) { api in
                try await WorkFolder(Self.config).serving(environment: ["API": api.url]) { server in
                    let first = try await server.get("/prices?id=1")
                    #expect(first.status == 200)
                    isBroken.raise()

                    var answer = first
                    while api.count < 2 { answer = try await server.get("/prices?id=1") }

                    #expect(answer.status == 200 && answer.text == "[1]", "\(answer.headers) \(answer.text)")
                }
            }
        }

        @Test func `each sentence of explain holds`() async throws {
            var said = try await Situation(Self.config, fetch: ["prices", "id=1"], origin: "api") { ["API": $0] }
            try await Self.asking(&said)
            try await said.holdFormat()
            try await said.holdHeaders()
            try await said.holdSharing(tries: 3)
            try await said.holdMemory(
                "A copy in `memory` is fresh for 1s after it was written there, and never longer than the copy that it was made from.",
                seconds: 1)
            try await said.holdWriting(caches: ["memory"], nil)
            try await Self.failing(&said)
            try await Self.resting(&said)
            try await said.holdTimes(
                atOnce: "memory",
                limits: [("api", 6, "`api` has 6s30ms to answer: each try ends after the 2s that its source allows.")],
                whole: "There is no deadline for the whole fetch.")
            try await said.holdAbsence(
                ends: "When `api` says that there is no value, the fetch ends with not_found: no stale copy takes its place.", removes: nil,
                caches: [])
            try await Self.gone(&said)
            said.end()
        }

        private static func asking(_ said: inout Situation) async throws {
            let (both, without) = try await said.stage(.value("[1]")) { stage in
                let both = try await stage.fetches(until: { $0.last?.from == "memory" }, "--repeat", "2")
                return (both, try await stage.folder.run("fetch", "prices", environment: stage.environment()))
            }
            said.hold(
                "A fetch of `prices` asks `memory` first, then `api` (http), and stops at the first answer.",
                both.map(\.order) == [["memory", "api"], ["memory"]], both)
            said.hold("It takes the parameter `id`, which must be given.", without.status == 64 && without.errors.contains("`id`"), without)
            let header = try await said.stage(.value("[1]")) { stage in
                var header = ""
                try await stage.serving { header = try await $0.get(stage.target)["Cache-Status"] ?? "" }
                return header
            }
            said.hold(
                "What `api` answers is written to `memory` before the fetch returns.", header.contains("\"memory\"; fwd=miss; stored"),
                header)
        }

        /// An origin that fails once a copy is in memory.
        private static func failing(_ said: inout Situation) async throws {
            let (failed, asked) = try await said.stage(.status(500)) { (try await $0.fetch(), $0.origin.count) }
            said.hold(
                "A read of `api` that fails is tried up to 2 times more, after random waits of at most 10ms and 20ms, or as long as the server asks for (`Retry-After`).",
                asked == 3, (failed, asked))
            said.hold("When `api` fails, no tier is left to ask.", failed["api"] == "error" && failed.order.last == "api", failed)
            let answers = try await said.stage({ _, number in number == 1 ? .value("[1]") : .status(404) }) { stage in
                [try await stage.fetch(), try await stage.fetch()]
            }
            said.hold(
                "`api` is an origin: it gives a fresh value, says that there is none, or fails.",
                answers.map { $0["api"] } == ["hit", "not_found"] && !answers[0].stale && failed["api"] == "error", (answers, failed))
            let stale = try await expiring(said, window: "1h")
            let over = try await expiring(said, window: "1ms")
            let isStale = stale.expired.status == 200 && stale.expired["Cache-Status"]?.contains("detail=stale") == true
            said.hold(
                "A value is served as fresh for at most 1s after an origin gave or confirmed it.",
                stale.freshAges.allSatisfy { $0 <= 1 } && isStale, stale)
            said.hold(
                "When the load fails, the newest copy that was found expired is served, marked stale, if it expired less than 1h ago; the "
                    + "origins are then not asked again for this key for 1s.",
                isStale && stale.next.allSatisfy { $0.status == 200 } && stale.asked < stale.next.count, stale)
            said.hold(
                "While loads fail, it is served stale for at most 1h1s after that.", isStale && over.next.last?.status == 502, (stale, over)
            )
            said.hold(
                "When a tier failed and none has an answer, the fetch fails with `every_tier_failed`, which names what each of them did, "
                    + "unless a cache has a stale copy that may be served.",
                isStale && failed.error?.code == "every_tier_failed"
                    && failed.order.allSatisfy { failed.error?.message.contains("\($0): ") == true }, (stale, failed))
        }

        /// What a server answers when its copy has expired and the origin fails.
        private struct Expiring {
            /// In seconds, of the answers from a fresh copy.
            var freshAges: [Int] = []
            var expired: Answer
            /// The answers right after that, and how many loads they needed.
            var next: [Answer] = []
            var asked = 0
        }

        /// - Parameter window: the stale_if_error; a copy is asked for after a short one has passed, too.
        private static func expiring(_ said: Situation, window: String) async throws -> Expiring {
            try await said.stage({ _, number in number == 1 ? .value("[1]") : .status(422) }) { stage in
                var seen: Expiring?
                try await stage.serving(changing: ["STALE": window]) { server in
                    var last = Expiring(expired: try await server.get(stage.target))
                    while stage.origin.count < 2 {
                        last.expired = try await server.get(stage.target)
                        if stage.origin.count < 2 { last.freshAges.append(last.expired["Age"].flatMap { Int($0) } ?? .max) }
                    }
                    let before = stage.origin.count
                    for _ in 0..<5 { last.next.append(try await server.get(stage.target)) }
                    last.asked = stage.origin.count - before
                    seen = last
                }
                return try #require(seen)
            }
        }

        /// An origin that fails for every key.
        private static func resting(_ said: inout Situation) async throws {
            let (open, rested, through) = try await said.stage(.status(500)) { stage in
                var (open, rested, through) = ("", 0, 0)
                try await stage.serving { server in
                    for id in [1, 2] { _ = try await server.get("/prices?id=\(id)") }
                    open = try await server.get("/prices?id=3").text
                    rested = stage.origin.count
                    try await until("a request that is let through") {
                        _ = try? Request("GET", "/prices?id=4", port: server.port).answer()
                        return stage.origin.count > rested
                    }
                    through = stage.origin.count - rested
                }
                return (open, rested, through)
            }
            said.hold(
                "After 6 failures in a row `api` is skipped for 4s, and reads of it fail at once; then one request is let through, without "
                    + "retries.", open.contains("circuit open") && rested == 6 && through == 1, (open, rested, through))
        }

        /// A value that is no more, while a copy of it could be served stale, and then an origin that fails.
        private static func gone(_ said: inout Situation) async throws {
            let statuses = try await said.stage({ _, number in number == 1 ? .value("[1]") : number == 2 ? .status(404) : .status(500) }) {
                stage in
                var statuses: [Int] = []
                try await stage.serving { server in
                    while stage.origin.count < 2 { statuses = [try await server.get(stage.target).status] }
                    statuses.append(try await server.get(stage.target).status)
                }
                return statuses
            }
            said.hold("Copies of the value that `memory` still has are removed.", statuses == [404, 502], statuses)
        }
    }
}

/// Something that has happened or not.
private final class Flag: @unchecked Sendable {  // Guarded by `lock`.
    private let lock = NSLock()
    private var value = false

    var isRaised: Bool { lock.withLock { value } }

    func raise() { lock.withLock { value = true } }
}
