import Foundation
import Testing

@testable import PipelineServer

extension CommandLineTests {
    /// What the files hold when a process ends while values wait to be written.
    @Suite struct PendingWritesTests {
        private static let users = 1...8

        static func config(debounce: String, reads: Bool = true) -> String {
            """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "${ORIGIN}", query: { user: "{user}" } }
            pipelines:
              friends:
                parameters: [user]
                tiers:
                  - { source: disk, ttl: 10h, debounce: \(debounce), max_delay: 2h, read: \(reads) }
                  - api
            """
        }

        /// A value that is large and shows where it is torn; the later version is longer.
        private static func value(_ version: Int, of user: Int) -> String {
            "[" + Array(repeating: "\(user)", count: 20_000 * version).joined(separator: ",") + "]"
        }

        private static func user(of request: String) -> Int {
            request.firstMatch(of: /user=([0-9]+)/).flatMap { Int($0.1) } ?? 0
        }

        /// Runs `body` with an origin whose version goes up whenever all ``users`` have asked.
        private static func origin(_ body: (OddServer) async throws -> Void) async throws {
            try await OddServer.run(
                { request, number in .value(value((number - 1) / users.count + 1, of: user(of: request))) }, body)
        }

        /// Asks for every user once, and then ends the process with `signal`, when `before` has returned.
        private static func serve(
            in folder: WorkFolder, _ origin: OddServer, thenSend signal: Int32, _ before: () async throws -> Void = {}
        ) async throws -> Ran {
            try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                for user in users {
                    let answer = try await server.get("/friends?user=\(user)")
                    #expect(answer.status == 200)
                }
                try await before()
                server.process.send(signal)
            }
        }

        private static func read(_ user: Int, in folder: WorkFolder) -> String? {
            folder.read(".cache/friends,user=\(user).json")
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func `SH-01 a signal leaves every value that waits on disk, with what is known of it`(signal: Int32) async throws {
            try await Self.origin { origin in
                let folder = try WorkFolder(Self.config(debounce: "1h"))

                let ran = try await Self.serve(in: folder, origin, thenSend: signal) {
                    #expect(folder.files(below: ".cache") == [])
                }

                #expect(ran.status == 0)
                #expect(Self.users.allSatisfy { Self.read($0, in: folder) == Self.value(1, of: $0) })
                #expect(folder.files(below: ".cache").count == 2 * Self.users.count)
                // Fresh copies, with their limits: nothing is asked for again.
                for user in Self.users {
                    let envelope = try Envelope(
                        try await folder.run(
                            "fetch", "friends", "user=\(user)", "--output", "envelope", environment: ["ORIGIN": origin.url]))
                    #expect(envelope.from == "disk" && envelope.freshFor.map { $0 <= 36_000_000 } == true)
                }
                #expect(origin.count == Self.users.count)
            }
        }

        @Test func `SH-02 a kill while values wait leaves the old ones, and the next run works`() async throws {
            try await Self.origin { origin in
                let folder = try WorkFolder(Self.config(debounce: "1h"))
                #expect(try await Self.serve(in: folder, origin, thenSend: SIGTERM).status == 0)
                try folder.write("pipeline.yaml", Self.config(debounce: "1h", reads: false))

                let ran = try await Self.serve(in: folder, origin, thenSend: SIGKILL)

                #expect(ran.status == 128 + SIGKILL)
                #expect(Self.users.allSatisfy { Self.read($0, in: folder) == Self.value(1, of: $0) })
                try await Self.nextRunWorks(in: folder, origin)
            }
        }

        enum Moment: CaseIterable {
            /// A payload is in a temporary file, and none has its name.
            case filled
            /// The first of them is about to get its name.
            case released
            /// One has its name, others have not.
            case placed
        }

        @Test(arguments: Moment.allCases)
        func `SH-02 a kill in the middle of many writes leaves each file old or new, never torn`(moment: Moment) async throws {
            try await Self.origin { origin in
                let folder = try WorkFolder(Self.config(debounce: "1h"))
                #expect(try await Self.serve(in: folder, origin, thenSend: SIGTERM).status == 0)
                try folder.write("pipeline.yaml", Self.config(debounce: "1ms", reads: false))
                var held: HeldFolder? = try HeldFolder(".cache", in: folder)

                let ran = try await Self.serve(in: folder, origin, thenSend: SIGKILL) {
                    try await until("writes that wait for the lock") {
                        folder.files(below: ".cache").contains { $0.hasSuffix(".tmp") }
                    }
                    if moment != .filled { held = nil }
                    if moment == .placed {
                        try await until("a new value") { Self.users.contains { Self.hasNewSize($0, in: folder) } }
                    }
                }
                held = nil

                #expect(held == nil && ran.status == 128 + SIGKILL)
                let versions = Self.users.map { user in
                    (1...2).first { Self.value($0, of: user) == Self.read(user, in: folder) }
                }
                #expect(!versions.contains(nil))
                if moment == .filled { #expect(!versions.contains(2)) }
                if moment == .placed { #expect(versions.contains(2)) }
                try await Self.nextRunWorks(in: folder, origin)
            }
        }

        private static func hasNewSize(_ user: Int, in folder: WorkFolder) -> Bool {
            let path = folder.url.appending(path: ".cache/friends,user=\(user).json").path
            return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) == value(2, of: user).utf8.count
        }

        /// Another process serves what the files hold, writes there, and sweeps what the dead one left.
        private static func nextRunWorks(in folder: WorkFolder, _ origin: OddServer) async throws {
            let asked = origin.count
            try folder.write("pipeline.yaml", config(debounce: "1h"))
            try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                for user in users {
                    let answer = try await server.get("/friends?user=\(user)")
                    #expect(answer.status == 200 && answer.text == read(user, in: folder))
                }
            }
            #expect(origin.count == asked)
            // A version that does not exist: it is written, and sweeping comes before writing.
            let ran = try await folder.run("fetch", "friends", "user=1", "--policy", "refresh", environment: ["ORIGIN": origin.url])
            #expect(ran.status == 0 && ran.errors == "")
            #expect(read(1, in: folder) == value(3, of: 1))
            #expect(folder.files(below: ".cache").count == 2 * users.count)
        }
    }
}
