import Foundation
import Testing

@testable import PipelineServer

extension WaitingTests {
    /// A disk that hangs holds up the end of a run no longer than its bound of 5 s, and what could not be written is named.
    @Suite struct HungDiskTests {
        /// The bound and what a busy machine needs besides, far from what waiting once for each key, fetch or disk would take.
        private static let bound = Duration.seconds(30)

        /// The origin has more time than a busy machine needs to come to its signal.
        private static let config = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "${ORIGIN}", timeout: 10m }
            pipelines:
              friends: { tiers: [ memory, { source: disk, ttl: 10h, debounce: 1h, max_delay: 5h }, { source: api, timeout: 10m } ] }
            """

        /// The second request gets no answer, the others get their number.
        private static func origin(_ body: (OddServer) async throws -> Void) async throws {
            try await OddServer.run({ _, number in number == 2 ? .silence : .value("[\(number)]") }, body)
        }

        /// Starts two fetches of which the second hangs, so that the first one's value waits to be written.
        private static func fetching(_ origin: OddServer, in folder: WorkFolder) async throws -> PipeRunProcess {
            let process = try folder.start(
                ["fetch", "friends", "--repeat", "2", "--policy", "refresh", "--output", "envelope"], environment: ["ORIGIN": origin.url])
            try await origin.asked(2)
            return process
        }

        /// Returns when a write has begun; it waits for the lock then.
        private static func beginsToWrite(_ folder: WorkFolder) async throws {
            try await until("a temporary file") { folder.files(below: ".cache").contains { $0.hasSuffix(".tmp") } }
        }

        @Test func `SH-01 a signal ends a run within its bound, its keys are named, and the next run sweeps and writes`() async throws {
            try await Self.origin { origin in
                let folder = try WorkFolder(Self.config)
                var hung: HeldFolder? = try HeldFolder(".cache", in: folder)
                let process = try await Self.fetching(origin, in: folder)

                let begin = ContinuousClock.now
                process.send(SIGTERM)
                let ran = try await process.ran()

                #expect(ran.end - begin < Self.bound)
                #expect(ran.status == 143)
                #expect(ran.errors == "pipe-run: not written to `disk`: `friends`\n")
                #expect(folder.read(".cache/friends.json") == nil)

                hung = nil
                let next = try await folder.run("fetch", "friends", environment: ["ORIGIN": origin.url])

                #expect(hung == nil)
                #expect(next.status == 0 && next.text == "[3]" && next.errors == "")
                #expect(folder.files(below: ".cache") == [".friends.json.meta", "friends.json"])
            }
        }

        @Test func `SH-01 a second signal does not cut the flush short, and does not lengthen it`() async throws {
            try await Self.origin { origin in
                let folder = try WorkFolder(Self.config)
                let hung = try HeldFolder(".cache", in: folder)
                let process = try await Self.fetching(origin, in: folder)

                let begin = ContinuousClock.now
                process.send(SIGINT)
                try await Self.beginsToWrite(folder)
                process.send(SIGINT)
                let ran = try await process.ran()

                #expect(ran.end - begin < Self.bound)
                #expect(ran.status == 130)
                #expect(ran.errors == "pipe-run: not written to `disk`: `friends`\n")
                withExtendedLifetime(hung) {}
            }
        }

        @Test func `SH-01 a disk that comes back within the bound gets what waits, also after two signals`() async throws {
            try await Self.origin { origin in
                let folder = try WorkFolder(Self.config)
                var hung: HeldFolder? = try HeldFolder(".cache", in: folder)
                let process = try await Self.fetching(origin, in: folder)

                process.send(SIGINT)
                try await Self.beginsToWrite(folder)
                process.send(SIGINT)
                hung = nil
                let ran = try await process.ran()

                #expect(hung == nil)
                #expect(ran.status == 130 && ran.errors == "")
                #expect(folder.read(".cache/friends.json") == "[1]")
            }
        }

        @Test(arguments: [["fetch", "friends"], ["put", "friends"]])
        func `SH-01 a run that ends by itself has one bound, and names the keys that are not written`(arguments: [String]) async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(Self.config)
                let hung = try HeldFolder(".cache", in: folder)

                let begin = ContinuousClock.now
                let ran = try await folder.start(arguments, environment: ["ORIGIN": origin.url], input: Array("[2]".utf8)).ran()

                #expect(ran.end - begin < Self.bound)
                #expect(ran.errors == "pipe-run: not written to `disk`: `friends`\n")
                #expect(ran.status == (arguments.first == "put" ? 1 : 0))
                #expect(arguments.first != "put" || ran.lines == ["memory: written", "disk: failed (not written within 5s)"])
                #expect(folder.read(".cache/friends.json") == nil)
                withExtendedLifetime(hung) {}
            }
        }

        @Test func `SH-01 a limit of the cache's own that ends before the bound has the reason`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  db: { type: sqlite, path: .cache/cache.db, busy_timeout: 2s }
                  api: { type: inline, value: [1] }
                pipelines:
                  friends: { tiers: [db, api] }
                """)
            // Opening a database holds the folder meanwhile.
            let hung = try HeldFolder(".cache", in: folder)

            let put = try await folder.run("put", "friends", input: Array("[2]".utf8))
            let fetched = try Envelope(try await folder.run("fetch", "friends", "--output", "envelope"))

            let reason = "cannot open .cache/cache.db: another process has been opening it for 2s"
            #expect(put.status == 1 && put.lines == ["db: failed (\(reason))"] && put.errors == "")
            #expect(fetched.writes.map(\.outcome) == ["failed"])
            #expect(fetched.writes.map(\.reason) == [reason])
            withExtendedLifetime(hung) {}
        }

        @Test(arguments: [["fetch", "friends"], ["fetch", "friends", "--output", "envelope"], ["put", "friends"]])
        func `SH-01 a write that nothing delays holds up a run no longer than its bound, and its key is named`(
            arguments: [String]
        ) async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(threeTiers)
                let hung = try HeldFolder(".cache", in: folder)

                let begin = ContinuousClock.now
                let ran = try await folder.start(arguments, environment: ["ORIGIN": origin.url], input: Array("[2]".utf8)).ran()

                #expect(ran.end - begin < Self.bound)
                #expect(ran.errors == "pipe-run: not written to `disk`: `friends`\n")
                if arguments.first == "put" {
                    #expect(ran.status == 1 && ran.lines == ["memory: written", "disk: failed (not written within 5s)"])
                } else {
                    #expect(ran.status == 0 && ran.text.contains("[1]"))
                }
                let failed = #"{"source":"disk","outcome":"failed","reason":"not written within 5s"}"#
                #expect(!ran.text.hasPrefix("{") || ran.text.contains(failed))
                #expect(folder.read(".cache/friends.json") == nil)
                withExtendedLifetime(hung) {}
            }
        }

        @Test func `SH-01 a cache that hangs is waited for once, however often is fetched`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(threeTiers)
                let hung = try HeldFolder(".cache", in: folder)

                let begin = ContinuousClock.now
                let ran = try await folder.start(
                    ["fetch", "friends", "--policy", "refresh", "--repeat", "10"], environment: ["ORIGIN": origin.url]
                ).ran()

                // Once after the first fetch, and once at the end: 10 s instead of 50.
                #expect(ran.end - begin < Self.bound)
                #expect(ran.status == 0)
                #expect(ran.errors == "pipe-run: not written to `disk`: `friends`\n")
                withExtendedLifetime(hung) {}
            }
        }

        @Test func `SH-01 a signal ends a run whose write hangs`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(threeTiers)
                let hung = try HeldFolder(".cache", in: folder)
                let process = try folder.start(["fetch", "friends", "--output", "envelope"], environment: ["ORIGIN": origin.url])
                try await Self.beginsToWrite(folder)

                let begin = ContinuousClock.now
                process.send(SIGTERM)
                let ran = try await process.ran()

                #expect(ran.end - begin < Self.bound)
                #expect(ran.status == 143)
                #expect(ran.errors == "pipe-run: not written to `disk`: `friends`\n")
                withExtendedLifetime(hung) {}
            }
        }

        @Test func `SH-01 serve ends within its bound and names every key that is not written`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(CommandLineTests.PendingWritesTests.config(debounce: "1h"))
                let hung = try HeldFolder(".cache", in: folder)
                var begin = ContinuousClock.now

                let ran = try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    for user in 1...9 {
                        let answer = try await server.get("/friends?user=\(user)")
                        #expect(answer.text == "[1]")
                    }
                    begin = .now
                }

                #expect(ran.end - begin < Self.bound)
                #expect(ran.status == 0)
                let unwritten = (1...9).map { "pipe-run: not written to `disk`: `friends,user=\($0)`\n" }.joined()
                #expect(ran.errors.hasSuffix(unwritten))
                withExtendedLifetime(hung) {}
            }
        }
    }
}
