import Foundation
import Testing

@testable import PipelineServer

extension WaitingTests {
    /// Several processes that miss one key of a database that they share.
    @Suite struct SharedFlightProcessTests {
        private static let count = 8

        /// Every process asks at the door first, so that the test knows that it is there; the door is broken, and it goes on.
        private static func config(_ sharedFlight: String, bound: String = "") -> String {
            """
            sources:
              door: { type: http, url: "${ORIGIN}/door", query: { who: "${WHO}" } }
              db: { type: sqlite, path: .cache/cache.db, shared_flight: \(sharedFlight)\(bound) }
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

        private static func start(in folder: WorkFolder, _ origin: OddServer, count: Int = count) throws -> [PipeRunProcess] {
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
                request.hasPrefix("GET /door") ? .status(500) : .held(.value("[1]"))
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
                request.hasPrefix("GET /door") ? .status(500) : .held(.value("[1]"))
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

        @Test func `CO-18 when the process that loads is asked to stop, one other loads at once`() async throws {
            try await OddServer.run({ request, _ in
                request.hasPrefix("GET /door") ? .status(500) : .held(.value("[1]"))
            }) { origin in
                // Longer than any caller waits here.
                let folder = try WorkFolder(Self.config("{ lease: 1h }"))
                let processes = try Self.start(in: folder, origin, count: 4)
                try await until("all processes, and one that loads") {
                    Self.asked(origin, at: "door").count == 4 && Self.asked(origin, at: "api").count == 1
                }
                let holder = try #require(Self.asked(origin, at: "api").first)

                processes[holder].send(SIGTERM)
                #expect(try await processes[holder].ran().status == 128 + SIGTERM)
                try await until("the one that takes over") { Self.asked(origin, at: "api").count == 2 }
                origin.release()
                var envelopes: [Envelope] = []
                for (number, process) in processes.enumerated() where number != holder {
                    envelopes.append(try Envelope(try await process.ran()))
                }

                #expect(Self.asked(origin, at: "api").count == 2)
                #expect(envelopes.filter { $0.from == "db" }.count == 2)
            }
        }

        @Test(arguments: [(false, ""), (true, ", max_entries: 0")])
        func `CO-18 when nothing comes of a load, the others load at once, not one after the other`(
            answers: Bool, bound: String
        ) async throws {
            let crowd = CrowdedOrigin(expecting: 4)
            try await OddServer.run({ request, _ in
                if request.hasPrefix("GET /door") { return crowd.knock() }
                crowd.visit()
                return answers ? .value("[1]") : .status(500)
            }) { origin in
                let folder = try WorkFolder(Self.config("{ lease: 1h }", bound: bound))
                let processes = try Self.start(in: folder, origin, count: 4)

                for process in processes {
                    let ran = try await process.ran()
                    #expect(ran.status == (answers ? 0 : 1), "\(ran.errors)")
                }

                #expect(Self.asked(origin, at: "api").count == 4)
                #expect(crowd.most == 3)
            }
        }
    }
}

/// An origin that takes its time, unless all that it still expects ask it together.
private final class CrowdedOrigin: @unchecked Sendable {  // All state is guarded by `condition`.
    private let expected: Int
    private let condition = NSCondition()
    private var knocked = 0
    private var visits = 0
    private var inside = 0
    private var peak = 0

    /// The most who asked it at the same time.
    var most: Int { condition.withLock { peak } }

    init(expecting expected: Int) {
        self.expected = expected
    }

    /// A caller is there, and will ask.
    func knock() -> OddServer.Reply {
        condition.withLock {
            knocked += 1
            condition.broadcast()
        }
        return .status(500)
    }

    /// Returns when all but one have been here together. The first one does not wait for the others, who wait for it, but for some time
    /// after all are there: they have begun to wait by then.
    func visit() {
        condition.lock()
        defer { condition.unlock() }
        let isFirst = visits == 0
        visits += 1
        inside += 1
        peak = max(peak, inside)
        condition.broadcast()
        let patient = Date(timeIntervalSinceNow: patience)
        while knocked < expected, condition.wait(until: patient) {}
        let limit = isFirst ? Date(timeIntervalSinceNow: 3) : patient
        while peak < expected - 1, condition.wait(until: limit) {}
        inside -= 1
    }
}
