import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    /// An upstream that fails often, with retry, circuit breaker and stale windows.
    @Suite struct FlakySituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              api: { type: http, url: "${API}/prices/{id}", timeout: 2s }
            pipelines:
              prices:
                parameters: [id]
                stale_if_error: 1h
                tiers:
                  - { source: memory, ttl: 1s }
                  - source: api
                    retry: { attempts: 3, base: 10ms, max: 20ms }
                    circuit_breaker: { failures: 2, open_for: 1s }
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
    }
}

/// Something that has happened or not.
private final class Flag: @unchecked Sendable {  // Guarded by `lock`.
    private let lock = NSLock()
    private var value = false

    var isRaised: Bool { lock.withLock { value } }

    func raise() { lock.withLock { value = true } }
}
