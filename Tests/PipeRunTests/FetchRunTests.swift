import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    /// Order, policy, repetition, time limits, and what is on disk meanwhile.
    @Suite struct FetchRunTests {
        static let debounced = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "${ORIGIN}" }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 30s }
                  - { source: disk, ttl: 10h, debounce: 1h, max_delay: 5h }
                  - api
              slow:
                tiers: [api]
            """

        @Test func `repeats with one envelope a line, and the origin is asked once`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(Self.debounced)
                let ran = try await folder.run(
                    "fetch", "friends", "--repeat", "3", "--output", "envelope", environment: ["ORIGIN": origin.url])
                let envelopes = try Envelope.all(ran)

                #expect(envelopes.map(\.from) == ["api", "memory", "memory"])
                #expect(envelopes.first?.writes.map(\.outcome) == ["written", "scheduled"])
                #expect(origin.count == 1)
                #expect(folder.read(".cache/friends.json") == "[1]")
            }
        }

        @Test func `a single fetch prints its debounced write as written`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(Self.debounced)
                let ran = try await folder.run("fetch", "friends", "--output", "envelope", environment: ["ORIGIN": origin.url])

                #expect(try Envelope(ran).writes.map(\.outcome) == ["written", "written"])
                #expect(folder.read(".cache/friends.json") == "[1]")
            }
        }

        @Test func `with refresh the last line is final`() async throws {
            try await OddServer.run({ _, number in .value("[\(number)]") }) { origin in
                let folder = try WorkFolder(Self.debounced)
                let ran = try await folder.run(
                    "fetch", "friends", "--repeat", "3", "--policy", "refresh", "--output", "envelope", environment: ["ORIGIN": origin.url])
                let writes = try Envelope.all(ran).map { $0.writes.last?.outcome }

                #expect(writes == ["scheduled", "scheduled", "written"])
                #expect(origin.count == 3)
                #expect(folder.read(".cache/friends.json") == "[3]")
            }
        }

        @Test(arguments: [
            ("flat,disk", ["flat"], ["disk"]), ("disk,flat", ["disk", "flat"], ["disk"]),
            ("other,memory,flat", ["other"], ["memory"]), ("memory,other", ["memory", "other"], ["memory"]),
            (" disk , flat ", ["disk", "flat"], ["disk"]),
        ])
        func `asks in any order`(order: String, asked: [String], written: [String]) async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")
            try folder.write("other/1.json", "[2]")

            let envelope = try Envelope(await folder.run("fetch", "friends", "user=1", "--order", order, "--output", "envelope"))

            #expect(envelope.tiers.map(\.source) == asked)
            #expect(envelope.writes.map(\.source) == written && envelope.writes.allSatisfy { $0.outcome == "written" })
        }

        @Test func `the four policies`() async throws {
            let folder = try WorkFolder(flatTiers)
            func fetch(_ policy: String) async throws -> (Ran, Envelope) {
                let ran = try await folder.run("fetch", "friends", "user=1", "--policy", policy, "--output", "envelope")
                return (ran, try Envelope(ran))
            }
            try folder.write("flat/1.json", "[1]")

            let (cold, none) = try await fetch("cache-only")
            #expect(cold.status == 3 && none.outcome == "not_found")
            #expect(none.tiers.map(\.outcome) == ["miss", "miss", "skipped"])

            let (_, unstored) = try await fetch("no-store")
            #expect(unstored.from == "flat" && unstored.writes.isEmpty && folder.files(below: ".cache") == [])
            #expect(unstored.tiers.map(\.outcome) == ["skipped", "skipped", "hit"])

            let (_, filled) = try await fetch("default")
            #expect(filled.from == "flat" && folder.read(".cache/friends,user=1.json") == "[1]")

            try folder.write("flat/1.json", "[2]")
            #expect(try await fetch("default").1.from == "disk")
            let (_, refreshed) = try await fetch("refresh")
            #expect(refreshed.from == "flat" && folder.read(".cache/friends,user=1.json") == "[2]")
            #expect(refreshed.tiers.map(\.outcome) == ["skipped", "skipped", "hit"])
            #expect(try await fetch("cache-only").1.from == "disk")
        }

        @Test func `a time limit ends a fetch that hangs`() async throws {
            try await OddServer.run(.silence) { origin in
                let folder = try WorkFolder(threeTiers)
                let ran = try await folder.run(
                    "fetch", "friends", "--timeout", "100ms", "--output", "envelope", environment: ["ORIGIN": origin.url])
                let envelope = try Envelope(ran)

                #expect(ran.status == 1)
                #expect(envelope.error?.code == "deadline_exceeded")
                #expect(envelope.tiers.last?.outcome == "timeout" && envelope.tiers.last?.reason?.isEmpty == false)
            }
        }

        @Test func `the deadline of the file ends a fetch that hangs`() async throws {
            try await OddServer.run(.silence) { origin in
                let folder = try WorkFolder(threeTiers + "\n    deadline: 100ms\n")
                let ran = try await folder.run("fetch", "friends", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 1 && ran.text == "")
                #expect(ran.errors.contains("the deadline for `friends` passed"))
                #expect(ran.errors.contains("api: timeout ("))
            }
        }

        @Test func `on_error fail ends the fetch at that tier`() async throws {
            try await OddServer.run(.status(500)) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      api: { type: http, url: "${ORIGIN}" }
                      flat: { type: file, path: flat.json, read_only: true }
                    pipelines:
                      friends: { tiers: [ { source: api, on_error: fail }, flat ] }
                    """)
                try folder.write("flat.json", "[1]")
                let ran = try await folder.run("fetch", "friends", "--output", "envelope", environment: ["ORIGIN": origin.url])
                let envelope = try Envelope(ran)

                #expect(ran.status == 1 && envelope.error?.code == "tier_failed")
                #expect(envelope.tiers.map(\.source) == ["api"])
            }
        }

        @Test func `when the origin is gone the disk answers`() async throws {
            let (origin, folder) = (try WorkFolder(flatTiers), try WorkFolder(threeTiers))
            try origin.write("flat/1.json", "[1]")
            var environment: [String: String] = [:]
            try await origin.serving { server in
                environment["ORIGIN"] = "\(server.url)/friends?user=1&"
                #expect(try await server.get("/friends?user=1").text == "[1]")
                let config = threeTiers.replacing("${ORIGIN}/friends", with: "${ORIGIN}")
                try folder.write("pipeline.yaml", config)
                environment["ORIGIN"] = "\(server.url)/friends?user=1"
                #expect(try await folder.run("fetch", "friends", environment: environment).text == "[1]")
            }

            let offline = try await folder.run("fetch", "friends", "--output", "envelope", environment: environment)
            let empty = try await folder.run("fetch", "friends", "--policy", "refresh", environment: environment)

            #expect(try Envelope(offline).from == "disk")
            #expect(empty.status == 1 && empty.errors.contains("connection refused"))
        }

        @Test func `a cache file edited by hand is served, a broken one is replaced`() async throws {
            let folder = try WorkFolder(flatTiers)
            let file = ".cache/friends,user=1.json"
            try folder.write("flat/1.json", "[1]")
            _ = try await folder.run("fetch", "friends", "user=1")

            try folder.write(file, "[\"by hand\"]\n")
            #expect(try await folder.run("fetch", "friends", "user=1").text == "[\"by hand\"]\n")

            try folder.write(file, "[\"torn")
            let envelope = try Envelope(await folder.run("fetch", "friends", "user=1", "--output", "envelope"))
            #expect(envelope.from == "flat" && envelope.tiers.map(\.outcome) == ["miss", "invalid", "hit"])
            #expect(folder.read(file) == "[1]")
        }

        @Test(arguments: [["--repeat", "1"], ["--repeat", "2"], ["--trace"], ["--output", "envelope"]])
        func `a debounced write that fails is said once`(arguments: [String]) async throws {
            let folder = try WorkFolder(
                """
                sources:
                  memory: { type: memory }
                  disk: { type: file, path: ".cache/{key}.json" }
                  flat: { type: file, path: flat.json, read_only: true }
                pipelines:
                  friends: { tiers: [ { source: memory, ttl: 1m }, { source: disk, ttl: 10h, debounce: 1h }, flat ] }
                """)
            try folder.write("flat.json", "[1]")
            try folder.write(".cache", "in the way")

            let ran = try await folder.start(["fetch", "friends"] + arguments).ran()

            let mentions = ran.everything.matches(of: /not written to `disk`|disk +failed|"source":"disk","outcome":"failed"/)
            #expect(ran.status == 0)
            #expect(mentions.count == 1, "\(ran.everything)")
        }

        @Test func `a cache that cannot be written does not cost the value`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")
            try folder.write(".cache", "in the way")

            let ran = try await folder.run("fetch", "friends", "user=1")
            let envelope = try Envelope(await folder.run("fetch", "friends", "user=1", "--output", "envelope"))

            #expect(ran.status == 0 && ran.text == "[1]")
            #expect(ran.errors.hasPrefix("pipe-run: warning: not written to `disk`: "), "\(ran.errors)")
            #expect(ran.errors.contains(".cache"))
            #expect(envelope.writes.map(\.outcome) == ["written", "failed"])
            #expect(envelope.writes.last?.reason?.isEmpty == false)
            #expect(folder.read(".cache") == "in the way")
        }
    }
}
