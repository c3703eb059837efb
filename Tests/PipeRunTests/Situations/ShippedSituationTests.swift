import Foundation
import Testing

@testable import PipelineServer

extension CommandLineTests {
    /// A configuration service, with a file that is shipped with the program and a default that is written out.
    @Suite struct ShippedSituationTests {
        static let config = """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              service: { type: http, url: "${SERVICE}/flags", timeout: 4s }
              shipped: { type: file, path: shipped.json, read_only: true }
              builtin: { type: inline, value: { dark: false, from: builtin } }
            pipelines:
              flags:
                stale_if_error: 1d
                tiers:
                  - { source: disk, ttl: "${DISK_TTL:-200ms}" }
                  - { source: service, on_not_found: next }
                  - { source: shipped, last_resort: true }
                  - builtin
            """

        private static func fetch(_ folder: WorkFolder, _ service: String) async throws -> (Ran, Envelope) {
            let ran = try await folder.run("fetch", "flags", "--output", "envelope", environment: ["SERVICE": service])
            return (ran, try Envelope(ran))
        }

        /// An address where nothing listens.
        private static func nowhere() async throws -> String {
            var url = ""
            try await OddServer.run(.silence) { url = $0.url }
            return url
        }

        @Test func `the service answers where it can, and its answer is kept`() async throws {
            try await OddServer.run(.value(#"{"dark":true}"#)) { service in
                let folder = try WorkFolder(Self.config)
                try folder.write("shipped.json", #"{"from":"shipped"}"#)

                let (_, envelope) = try await Self.fetch(folder, service.url)

                #expect(envelope.from == "service")
                #expect(folder.read(".cache/flags.json") == #"{"dark":true}"#)
            }
        }

        @Test func `the last good copy comes before what is shipped, and is not replaced by it`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("shipped.json", #"{"from":"shipped"}"#)
            try await OddServer.run(.value(#"{"dark":true}"#)) { service in _ = try await Self.fetch(folder, service.url) }
            let nowhere = try await Self.nowhere()

            var envelope: Envelope?
            try await until("an expired copy") { folder.read(".cache/flags.json") != nil }
            repeat { envelope = try await Self.fetch(folder, nowhere).1 } while envelope?.stale == false

            #expect(envelope?.from == "disk" && envelope?.stale == true)
            #expect(folder.read(".cache/flags.json") == #"{"dark":true}"#)
        }

        @Test func `without a copy the shipped file answers, without that the default, and neither is kept`() async throws {
            let folder = try WorkFolder(Self.config)
            let nowhere = try await Self.nowhere()

            let (_, builtin) = try await Self.fetch(folder, nowhere)
            try folder.write("shipped.json", #"{"from":"shipped"}"#)
            let (_, shipped) = try await Self.fetch(folder, nowhere)

            #expect(builtin.from == "builtin" && shipped.from == "shipped")
            #expect(builtin.writes.allSatisfy { $0.outcome == "skipped" } && shipped.writes.allSatisfy { $0.outcome == "skipped" })
            #expect(folder.read(".cache/flags.json") == nil)
        }

        @Test func `one 404 of a misrouted deployment removes no copy`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("shipped.json", #"{"from":"shipped"}"#)
            try await OddServer.run({ _, number in number == 1 ? .value(#"{"dark":true}"#) : .status(404) }) { service in
                _ = try await Self.fetch(folder, service.url)

                try await until("the service was asked again") { service.count > 1 || folder.read(".cache/flags.json") != nil }
                while service.count < 2 { _ = try await Self.fetch(folder, service.url) }

                #expect(folder.read(".cache/flags.json") == #"{"dark":true}"#)
            }
        }

        private static let file = ".cache/flags.json"
        private static let day = 86_400.0

        @Test func `each sentence of explain holds`() async throws {
            var said = try await Situation(Self.config, fetch: ["flags"], origin: "service") { ["SERVICE": $0] }
            try await said.holdFormat()
            try await said.holdHeaders()
            try await said.holdSharing()
            try await Self.asking(&said)
            try await Self.copies(&said)
            try await Self.absent(&said)
            try await said.holdWriting(caches: ["disk"]) { stage in
                try stage.folder.write(".cache", "in the way")
                return [:]
            }
            try await said.holdTimes(
                atOnce: "builtin",
                limits: [
                    ("disk", 30, "`disk` has 30s to answer."), ("service", 4, "`service` has 4s to answer, the limit of its source."),
                    ("shipped", 30, "`shipped` has 30s to answer."),
                ], whole: "The time limits of the tiers add up to 1m4s; there is no deadline for the whole fetch.")
            said.end()
        }

        /// Without a copy, from the service that answers to the default.
        private static func asking(_ said: inout Situation) async throws {
            let answered = try await said.stage(.value("[1]")) { stage in
                try stage.folder.write(file + "/x", "in the way")
                return try await stage.fetch()
            }
            said.hold("When `disk` fails, `service` is asked.", answered["disk"] == "error" && answered.from == "service", answered)
            let (none, broken, shipped, kept) = try await said.stage(.status(500)) { stage in
                let none = try await stage.fetch()
                try stage.folder.write("shipped.json/x", "in the way")
                let broken = try await stage.fetch()
                try FileManager.default.removeItem(at: stage.folder.url.appending(path: "shipped.json"))
                try stage.folder.write("shipped.json", "[0]")
                let shipped = try await stage.fetch()
                return (none, broken, shipped, stage.folder.read(file))
            }
            said.hold(
                "A fetch of `flags` asks `disk` (file) first, then `service` (http), then as a last resort `shipped` (file), then as a last "
                    + "resort `builtin` (inline), and stops at the first answer.",
                none.order == ["disk", "service", "shipped", "builtin"] && shipped.order == ["disk", "service", "shipped"]
                    && answered.order == ["disk", "service"], (none, shipped, answered))
            said.hold(
                "`shipped` is an origin: it gives a fresh value, has none, or fails.",
                [none, broken, shipped].map { $0["shipped"] } == ["miss", "error", "hit"] && !shipped.stale, (none, broken, shipped))
            said.hold("`builtin` is an origin that always answers.", none.from == "builtin" && broken.from == "builtin", (none, broken))
            said.hold("When `shipped` fails, `builtin` is asked.", broken["shipped"] == "error" && broken.from == "builtin", broken)
            try await resorts(&said, none: none, shipped: shipped, kept: kept)
        }

        /// The last resorts while a stale copy may be served.
        private static func resorts(_ said: inout Situation, none: Envelope, shipped: Envelope, kept: String?) async throws {
            let (stale, old, asked) = try await said.stage({ _, number in number == 1 ? .value("[1]") : .status(500) }) { stage in
                try stage.folder.write("shipped.json", "[0]")
                _ = try await stage.fetch()
                try stage.setAge(of: file, to: day - 100)
                let stale = try await stage.fetches("--repeat", "9")
                let asked = stage.origin.count - 1
                try stage.setAge(of: file, to: day + 100)
                return (stale, try await stage.fetch(), asked)
            }
            let isStale = stale.allSatisfy { $0.stale && $0.from == "disk" && ($0.age ?? .infinity) <= day * 1000 + 200 }
            func isLast(_ name: String, _ answer: Envelope) -> Bool {
                isStale && stale.allSatisfy { !$0.order.contains(name) } && answer.from == name && kept == nil
                    && answer.writes.allSatisfy { $0.outcome == "skipped" }
            }
            for (name, answer) in [("shipped", shipped), ("builtin", none)] {
                said.hold(
                    "`\(name)` is a last resort: it is asked only when no stale copy may be served either, and what it answers is written to no "
                        + "cache.", isLast(name, answer), (stale, answer, kept))
            }
            said.hold(
                "When `service` fails, a stale copy within its window is served, and without one `shipped` is asked.",
                isStale && stale[0]["service"] == "error" && shipped.from == "shipped", (stale, shipped))
            said.hold(
                "When the load fails, the newest copy that was found expired is served, marked stale, if it expired less than 1d ago; the "
                    + "origins are then not asked again for this key for 1s.",
                isStale && asked < stale.count && stale.contains { $0["service"] == "skipped" } && old.from == "shipped",
                (stale, old, asked))
            said.hold("While loads fail, it is served stale for at most 1d200ms after that.", isStale && !old.stale, (stale, old))
        }

        private static func copies(_ said: inout Situation) async throws {
            let (kept, expired) = try await said.stage(.value("[1]")) { stage in
                let kept = try await stage.fetches(until: { $0.last?["disk"] == "hit" }, "--repeat", "2")
                try stage.setAge(of: file, to: 10)
                return (kept.last, try await stage.fetch())
            }
            let isKept = kept.map { ($0.freshFor ?? .infinity) <= 200 && $0.life >= 198 } == true
            said.hold(
                "A copy in `disk` is fresh for 200ms after it was written there, and never longer than the copy that it was made from.",
                isKept,
                kept as Any)
            said.hold(
                "A value is served as fresh for at most 200ms after an origin gave or confirmed it.",
                isKept && expired["disk"] == "expired" && expired.from == "service", (kept, expired))
            let header = try await said.stage(.value("[1]")) { stage in
                var header = ""
                var held: HeldFolder? = try HeldFolder(".cache", in: stage.folder)
                try await stage.serving(changing: ["DISK_TTL": "1h"]) { server in
                    header = try await server.get("/flags")["Cache-Status"] ?? ""
                    #expect(stage.folder.read(file) == nil)
                    held = nil
                    try await until("the write") { stage.folder.read(file) == "[1]" }
                }
                #expect(held == nil)
                return header
            }
            said.hold(
                "What `service` answers is written to `disk` after the fetch has returned.",
                header.contains("\"disk\"; fwd=miss; detail=scheduled"), header)
        }

        /// A service that says that there is no value.
        private static func absent(_ said: inout Situation) async throws {
            let (seen, asked, kept) = try await said.stage({ _, number in number == 1 ? .value("[1]") : .status(404) }) { stage in
                try stage.folder.write("shipped.json", "[0]")
                _ = try await stage.fetch()
                try stage.setAge(of: file, to: 10)
                let seen = try await stage.fetches("--repeat", "2")
                return (seen, stage.origin.count - 1, stage.folder.read(file))
            }
            said.hold(
                "When `service` says that there is no value, that is no answer: the next tier is asked, no copy is removed, and nothing is "
                    + "remembered.",
                seen.allSatisfy { $0["service"] == "not_found" && $0.from == "shipped" } && asked == 2 && kept == "[1]", (seen, asked, kept)
            )
            let failed = try await said.stage(.status(500)) { try await $0.fetch() }
            let answered = try await said.stage(.value("[1]")) { try await $0.fetch() }
            said.hold(
                "`service` is an origin: it gives a fresh value, says that there is none, or fails.",
                answered.from == "service" && !answered.stale && failed["service"] == "error", (answered, failed))
        }
    }
}
