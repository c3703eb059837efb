import Foundation
import Testing

@testable import PipelineServer

extension CommandLineTests {
    /// Offline first: what is at hand is given at once, and refreshed behind the caller's back.
    @Suite struct OfflineSituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "${API}/notes", timeout: 4s }
            pipelines:
              notes:
                stale_while_revalidate: 1h
                stale_if_error: 7d
                tiers:
                  - { source: memory, ttl: "${MEMORY_TTL:-100ms}" }
                  - { source: disk, ttl: "${DISK_TTL:-200ms}" }
                  - api
            """

        private static func fetch(_ folder: WorkFolder, _ api: OddServer, _ arguments: String...) async throws -> Envelope {
            try Envelope(
                try await folder.start(["fetch", "notes", "--output", "envelope"] + arguments, environment: ["API": api.url]).ran())
        }

        @Test func `a copy that has expired is given at once, and the next one is new`() async throws {
            try await OddServer.run({ _, number in .value("[\(number)]") }) { api in
                let folder = try WorkFolder(Self.config)
                let first = try await Self.fetch(folder, api)
                #expect(first.from == "api")
                try await until("an expired copy") { (folder.age(of: ".cache/notes.json") ?? 0) > 0.2 }

                let stale = try await Self.fetch(folder, api, "--wait")
                #expect(stale.stale && stale.from == "disk")
                #expect(api.count == 2)
                #expect(folder.read(".cache/notes.json") == "[2]")
            }
        }

        @Test func `without a network the last copy is given, whatever its age, up to the window`() async throws {
            let folder = try WorkFolder(Self.config)
            var port = 0
            try await OddServer.run({ _, _ in .value("[1]") }) { api in
                port = api.port
                let first = try await Self.fetch(folder, api)
                #expect(first.outcome == "value")
            }
            try await until("an expired copy") { (folder.age(of: ".cache/notes.json") ?? 0) > 0.2 }

            let ran = try await folder.run(
                "fetch", "notes", "--output", "envelope", "--policy", "default", "--wait", environment: ["API": "http://127.0.0.1:\(port)"])
            let envelope = try Envelope(ran)

            #expect(envelope.stale && envelope.from == "disk", "\(ran.everything)")
            #expect(folder.read(".cache/notes.json") == "[1]")
        }

        @Test func `with nothing at hand and no network the answer is no, with the reason`() async throws {
            let folder = try WorkFolder(Self.config)
            var port = 0
            try await OddServer.run(.silence) { port = $0.port }

            let ran = try await folder.run("fetch", "notes", "--trace", environment: ["API": "http://127.0.0.1:\(port)"])

            #expect(ran.status == 1 && ran.text == "")
            #expect(ran.errors.contains("api") && ran.errors.contains("refused"), "\(ran.errors)")
        }

        private static let file = ".cache/notes.json"
        private static let (hour, day) = (3600.0, 86_400.0)

        @Test func `each sentence of explain holds`() async throws {
            var said = try await Situation(Self.config, fetch: ["notes"], origin: "api") { ["API": $0] }
            try await Self.asking(&said)
            try await said.holdFormat()
            try await said.holdHeaders()
            try await said.holdSharing()
            try await said.holdMemory(
                "A copy in `memory` is fresh for 100ms after it was written there, and never longer than the copy that it was made from.",
                seconds: 0.1, longer: (["MEMORY_TTL": "2h", "DISK_TTL": "1h"], Self.hour))
            try await Self.refreshing(&said)
            try await Self.failing(&said)
            try await Self.writing(&said)
            try await said.holdWriting(caches: ["memory", "disk"]) { stage in
                try stage.folder.write(".cache", "in the way")
                return [:]
            }
            try await said.holdTimes(
                atOnce: "memory",
                limits: [
                    ("disk", 30, "`disk` has 30s to answer."), ("api", 4, "`api` has 4s to answer, the limit of its source."),
                ], whole: "The time limits of the tiers add up to 34s; there is no deadline for the whole fetch.")
            try await said.holdAbsence(
                ends: "When `api` says that there is no value, the fetch ends with not_found: no stale copy takes its place.",
                removes: "Copies of the value that `memory` or `disk` still has are removed.", caches: ["memory", "disk"])
            try await Self.gone(said)
            said.end()
        }

        private static func asking(_ said: inout Situation) async throws {
            let (cold, warm, broken) = try await said.stage(.value("[1]")) { stage in
                let changes = ["MEMORY_TTL": "1h", "DISK_TTL": "1h"]
                let cold = try await stage.fetch(changing: changes)
                let warm = try await stage.fetches("--repeat", "2", changing: changes)
                try FileManager.default.removeItem(at: stage.folder.url.appending(path: file))
                try stage.folder.write(file + "/x", "in the way")
                return (cold, warm, try await stage.fetch())
            }
            said.hold(
                "A fetch of `notes` asks `memory` first, then `disk` (file), then `api` (http), and stops at the first answer.",
                cold.order == ["memory", "disk", "api"] && warm.map(\.order) == [["memory", "disk"], ["memory"]], (cold, warm))
            said.hold("When `disk` fails, `api` is asked.", broken["disk"] == "error" && broken.from == "api", broken)
        }

        /// Copies of every age, while the origin answers.
        private static func refreshing(_ said: inout Situation) async throws {
            let (kept, young, confirmed, old, asked) = try await said.stage(.value("[1]")) { stage in
                let kept = try await stage.fetches(
                    until: { $0.last?["disk"] == "hit" }, "--order", "disk,api", "--repeat", "2")
                try stage.setAge(of: file, to: hour - 100)
                let before = stage.origin.count
                let young = try await stage.fetch()
                let asked = stage.origin.count - before
                let confirmed = try await stage.fetch(changing: ["DISK_TTL": "1h"])
                try stage.setAge(of: file, to: hour + 100)
                return (kept.last, young, confirmed, try await stage.fetch(), asked)
            }
            said.hold(
                "A copy in `disk` is fresh for 200ms after it was written there, and never longer than the copy that it was made from.",
                kept.map { ($0.freshFor ?? .infinity) <= 200 && $0.life >= 198 } == true && young["disk"] != "hit", (kept, young))
            said.hold(
                "A copy that expired less than 1h ago is served at once, marked stale, while one refresh runs in the background.",
                young.stale && young.from == "disk" && !young.order.contains("api") && asked == 1
                    && (confirmed.age ?? .infinity) < (young.age ?? 0) && old.from == "api", (young, asked, confirmed, old))
            let (below, calls) = try await said.stage(.value("[1]")) { stage in
                let changes = ["MEMORY_TTL": "1ms", "DISK_TTL": "1h"]
                _ = try await stage.fetch(changing: changes)
                let below = try await stage.fetches(
                    until: { $0.contains { ["stale", "expired"].contains($0["memory"]) && $0["disk"] == "hit" } }, "--repeat", "50",
                    changing: changes)
                return (below, stage.origin.count)
            }
            said.hold(
                "A refresh asks the caches below the copy first, in their order: a fresh copy there that is newer, or has more of its life left, "
                    + "is taken, and no origin is asked.", calls == 1, (below, calls))
            said.hold(
                "A value is served as fresh for at most 200ms after an origin gave or confirmed it.",
                kept.map { $0.life < 1000 * hour } == true && young.stale && !old.stale, (kept, young, old))
            said.hold(
                "While it is refreshed, it is served stale for at most 1h200ms after that.",
                (young.age ?? .infinity) <= hour * 1000 + 200 && !old.stale, (young, old))
        }

        /// Copies of every age, while the origin fails.
        private static func failing(_ said: inout Situation) async throws {
            let (young, old, asked) = try await said.stage({ _, number in number == 1 ? .value("[1]") : .status(500) }) { stage in
                _ = try await stage.fetch()
                try stage.setAge(of: file, to: 7 * day - 100)
                let young = try await stage.fetches("--repeat", "9")
                let asked = stage.origin.count - 1
                try stage.setAge(of: file, to: 7 * day + 100)
                return (young, try await stage.fetch(), asked)
            }
            let isStale = young.allSatisfy { $0.stale && $0.from == "disk" && ($0.age ?? .infinity) <= 7 * day * 1000 + 200 }
            said.hold(
                "When the load fails, the newest copy that was found expired is served, marked stale, if it expired less than 7d ago; the "
                    + "origins are then not asked again for this key for 1s.",
                isStale && asked < young.count && young.contains { $0["api"] == "skipped" } && old.outcome == "failed", (young, old, asked))
            said.hold(
                "While loads fail, it is served stale for at most 7d200ms after that.", isStale && old.outcome == "failed", (young, old))
            said.hold("When `api` fails, no tier is left to ask.", old["api"] == "error" && old.order.last == "api", old)
            said.hold(
                "When a tier failed and none has an answer, the fetch fails with `every_tier_failed`, which names what each of them did, "
                    + "unless a cache has a stale copy that may be served.",
                isStale && old.error?.code == "every_tier_failed"
                    && old.order.allSatisfy { old.error?.message.contains("\($0): ") == true }, (young, old))
            let answers = try await said.stage({ _, number in number == 1 ? .value("[1]") : .status(404) }) { stage in
                [try await stage.fetch(), try await stage.fetch("--policy", "refresh")]
            }
            said.hold(
                "`api` is an origin: it gives a fresh value, says that there is none, or fails.",
                answers.map { $0["api"] } == ["hit", "not_found"] && !answers[0].stale && old["api"] == "error", answers)
        }

        /// A disk that takes a write only when the answer is there.
        private static func writing(_ said: inout Situation) async throws {
            let changes = ["DISK_TTL": "1h"]
            let headers = try await said.stage(.value("[1]")) { stage in
                var headers: [String] = []
                var held: HeldFolder? = try HeldFolder(".cache", in: stage.folder)
                try await stage.serving(changing: changes) { server in
                    headers.append(try await server.get("/notes")["Cache-Status"] ?? "")
                    #expect(stage.folder.read(file) == nil)
                    held = nil
                    try await until("the write") { stage.folder.read(file) == "[1]" }
                }
                #expect(held == nil)
                try await stage.serving(changing: changes) { server in
                    headers.append(try await server.get("/notes")["Cache-Status"] ?? "")
                }
                return headers
            }
            said.hold(
                "What `api` answers is written to `memory` before the fetch returns, and to `disk` after that.",
                headers[0].contains("\"memory\"; fwd=miss; stored") && headers[0].contains("\"disk\"; fwd=miss; detail=scheduled"), headers)
            said.hold(
                "What `disk` answers is written to `memory` before the fetch returns.",
                headers[1].contains("\"memory\"; fwd=miss; stored") && headers[1].contains("\"disk\"; hit"), headers)
        }

        /// A value that is no more, while a copy of it could be served stale.
        private static func gone(_ said: Situation) async throws {
            let seen = try await said.stage({ _, number in number == 1 ? .value("[1]") : .status(404) }) { stage in
                _ = try await stage.fetch()
                try stage.setAge(of: file, to: 2 * hour)
                return (try await stage.fetch(), stage.folder.read(file))
            }
            #expect(seen.0.outcome == "not_found" && seen.0["disk"] == "expired" && seen.1 == nil, "\(seen)")
        }
    }
}

extension WorkFolder {
    /// How many seconds ago a file was written; nil when there is none.
    fileprivate func age(of name: String) -> TimeInterval? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)
        return (attributes?[.modificationDate] as? Date).map { -$0.timeIntervalSinceNow }
    }
}
