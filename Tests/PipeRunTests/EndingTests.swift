import Foundation
import Testing

extension CommandLineTests {
    /// How a run ends: by itself, by a signal, without a reader.
    @Suite struct EndingTests {
        @Test func `a debounced write is on disk when the process ends`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(FetchRunTests.debounced)
                let ran = try await folder.run("fetch", "friends", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 0 && ran.errors == "")
                #expect(folder.read(".cache/friends.json") == "[1]")
            }
        }

        @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
        func `a signal ends a fetch that hangs, after what waits is written`(signal: Int32, status: Int32) async throws {
            try await OddServer.run({ _, number in number == 1 ? .value("[1]") : .silence }) { origin in
                let folder = try WorkFolder(FetchRunTests.debounced)
                let process = try folder.start(
                    ["fetch", "friends", "--repeat", "2", "--policy", "refresh", "--output", "envelope"],
                    environment: ["ORIGIN": origin.url])
                try await origin.asked(2)
                #expect(folder.files(below: ".cache") == [])

                process.send(signal)
                let ran = try await process.ran()

                #expect(ran.status == status)
                #expect(ran.lines.count == 1)
                #expect(folder.read(".cache/friends.json") == "[1]")
                #expect(ran.errors == "")
            }
        }

        @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))], ["raw", "envelope"])
        func `a signal ends a fetch whose reader takes nothing, after what waits is written`(
            signal: (number: Int32, status: Int32), output: String
        ) async throws {
            let payload = "[" + String(repeating: "1234567, ", count: 100_000) + "0]"
            try await OddServer.run(.value(payload)) { origin in
                let folder = try WorkFolder(FetchRunTests.debounced)
                let process = try folder.start(
                    ["fetch", "friends", "--output", output], environment: ["ORIGIN": origin.url], output: .unread)
                try await blocking { try process.answered() }

                process.send(signal.number)
                let ran = try await process.ran()

                #expect(ran.status == signal.status && ran.errors == "", "\(ran.everything)")
                #expect(folder.read(".cache/friends.json") == payload)
            }
        }

        /// A stale copy whose refresh hangs, and would for longer than any test waits.
        private static let refreshing = """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "${ORIGIN}" }
            pipelines:
              friends:
                stale_while_revalidate: 1h
                tiers: [ { source: disk, ttl: 1ms }, { source: api, timeout: 10m } ]
            """

        @Test func `a time limit holds for the refresh in the background, too`() async throws {
            try await OddServer.run({ _, number in number == 1 ? .value("[1]") : .silence }) { origin in
                let folder = try WorkFolder(Self.refreshing)
                _ = try await folder.run("fetch", "friends", environment: ["ORIGIN": origin.url])
                let ran = try await folder.run("fetch", "friends", "--wait", "--timeout", "2s", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 0 && ran.text == "[1]")
                #expect(origin.count == 2)
            }
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func `a signal ends the wait for a refresh at once, and the answer that was printed counts`(signal: Int32) async throws {
            try await OddServer.run({ _, number in number == 1 ? .value("[1]") : .silence }) { origin in
                let folder = try WorkFolder(Self.refreshing)
                _ = try await folder.run("fetch", "friends", environment: ["ORIGIN": origin.url])
                let process = try folder.start(["fetch", "friends", "--wait"], environment: ["ORIGIN": origin.url])
                try await origin.asked(2)
                process.send(signal)
                let ran = try await process.ran()

                #expect(ran.status == 0 && ran.text == "[1]")
            }
        }

        @Test func `a reader that goes away does not lose the write-back`() async throws {
            let folder = try WorkFolder(flatTiers)
            let payload = "[" + String(repeating: "1234567, ", count: 100_000) + "0]"
            try folder.write("flat/1.json", payload)

            let ran = try await folder.start(["fetch", "friends", "user=1"], output: .broken).ran()

            #expect(ran.status == 0 && ran.errors == "")
            #expect(folder.read(".cache/friends,user=1.json") == payload)
        }

        @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
        func `an output that takes nothing ends with 1, the caches written`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            let ran = try await folder.start(["fetch", "friends", "user=1"], output: .full).ran()

            #expect(ran.status == 1)
            #expect(ran.errors == "pipe-run: cannot write standard output: no space left on device\n")
            #expect(folder.read(".cache/friends,user=1.json") == "[1]")
        }

        @Test(
            .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
            arguments: [
                ["--version"], ["version"], ["help"], ["--help"], ["help", "fetch"], ["fetch", "--help"], ["help", "tiers.ttl"],
                ["sources"],
            ])
        func `text that cannot be written ends with 1`(arguments: [String]) async throws {
            let ran = try await WorkFolder("").start(arguments, output: .full).ran()

            #expect(ran.status == 1)
            #expect(ran.errors == "pipe-run: cannot write standard output: no space left on device\n")
        }

        @Test(arguments: ["[1]", "[12345]\n"])
        func `an output that is closed gets nothing, and neither does anything else`(payload: String) async throws {
            try await OddServer.run(.value(payload)) { origin in
                let folder = try WorkFolder(threeTiers)

                let ran = try await folder.start(["fetch", "friends"], environment: ["ORIGIN": origin.url], output: .closed).ran()

                #expect(ran.status == 1)
                #expect(ran.errors == "pipe-run: cannot write standard output: bad file descriptor\n")
                #expect(folder.read(".cache/friends.json") == payload)
                #expect(origin.heads.allSatisfy { $0.hasPrefix("GET /friends ") })
            }
        }

        @Test func `a reader that goes away does not end the printing of an envelope or a validation badly`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            #expect(try await folder.start(["fetch", "friends", "user=1", "--output", "envelope"], output: .broken).ran().status == 0)
            #expect(try await folder.start(["validate"], output: .broken).ran().status == 0)
            #expect(try await folder.start(["graph"], output: .broken).ran().status == 0)
        }
    }
}
