import Foundation
import Testing

extension CommandLineTests {
    /// Several processes that miss one key of a database that they share.
    @Suite struct SharedFlightProcessTests {
        private static let count = 8

        /// Every process asks at the door first, so that the test knows that it is there; the door is broken, and it goes on.
        private static func config(_ sharedFlight: String) -> String {
            """
            sources:
              door: { type: http, url: "${ORIGIN}/door", query: { who: "${WHO}" } }
              db: { type: sqlite, path: .cache/cache.db, shared_flight: \(sharedFlight) }
              api: { type: http, url: "${ORIGIN}/api", query: { who: "${WHO}" } }
            pipelines:
              friends:
                tiers: [door, { source: db, ttl: 1h }, api]
            """
        }

        /// The numbers of the processes that asked the origin, in order.
        private static func asked(_ origin: OddServer, at path: String) -> [Int] {
            origin.heads.filter { $0.hasPrefix("GET /\(path)?") }.compactMap {
                $0.firstMatch(of: /who=([0-9]+)/).flatMap { Int($0.1) }
            }
        }

        private static func start(in folder: WorkFolder, _ origin: OddServer) throws -> [PipeRunProcess] {
            try (0..<count).map { number in
                try folder.start(
                    ["fetch", "friends", "--output", "envelope"], environment: ["ORIGIN": origin.url, "WHO": "\(number)"])
            }
        }

        @Test(arguments: [("true", 1), ("{ lease: 20s }", 1), ("false", count)])
        func `CO-18 of several processes that miss a key of a shared database one calls the origin`(
            sharedFlight: String, calls: Int
        ) async throws {
            try await OddServer.run({ request, _ in
                request.hasPrefix("GET /door") ? .status(503) : .held(.value("[1]"))
            }) { origin in
                let folder = try WorkFolder(Self.config(sharedFlight))
                let processes = try Self.start(in: folder, origin)

                try await until("all processes") {
                    Self.asked(origin, at: "door").count == Self.count && Self.asked(origin, at: "api").count >= calls
                }
                origin.release()
                var envelopes: [Envelope] = []
                for process in processes { envelopes.append(try Envelope(try await process.ran())) }

                #expect(Self.asked(origin, at: "api").count == calls)
                #expect(envelopes.allSatisfy { $0.outcome == "value" })
                #expect(envelopes.filter { $0.from == "api" }.count == calls)
                #expect(envelopes.filter { $0.from == "db" }.count == Self.count - calls)
            }
        }

        @Test func `CO-18 when the process that loads is killed, one other loads after the lease`() async throws {
            try await OddServer.run({ request, _ in
                request.hasPrefix("GET /door") ? .status(503) : .held(.value("[1]"))
            }) { origin in
                let folder = try WorkFolder(Self.config("{ lease: 3s }"))
                let processes = try Self.start(in: folder, origin)
                try await until("all processes, and one that loads") {
                    Self.asked(origin, at: "door").count == Self.count && Self.asked(origin, at: "api").count == 1
                }
                let holder = try #require(Self.asked(origin, at: "api").first)

                processes[holder].send(SIGKILL)
                #expect(try await processes[holder].ran().status == 128 + SIGKILL)
                origin.release()
                var envelopes: [Envelope] = []
                for (number, process) in processes.enumerated() where number != holder {
                    envelopes.append(try Envelope(try await process.ran()))
                }

                #expect(Self.asked(origin, at: "api").count == 2)
                #expect(envelopes.filter { $0.from == "api" }.count == 1)
                let waited = envelopes.filter { $0.from == "db" }
                #expect(waited.count == Self.count - 2)
                #expect(waited.contains { $0.tiers.contains { $0.reason?.hasSuffix(" for another process") == true } })
            }
        }
    }
}
