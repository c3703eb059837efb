@testable import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import SourcesHTTP

@Suite struct HTTPSourceFlightTests {
    @Test func `CO-01 1,000 fetches of a cold key send one request over the network`() async throws {
        try await ScriptedServer.run({ _ in [.text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]")] }) { server in
            try await withSource(server.url + "/friends") { source in
                let cache = Tier("disk", StubSource("disk", clock: .system))
                let flights = Flights(of: "api")
                let counted = Gate()
                // The one load waits until all callers are there, so that none comes late to a warm cache.
                let api = Tier("api", source).loader()
                let held = Loader("api") { call, trail, _ in
                    try await counted.wait()
                    return try await api(call, after: trail)
                }
                let cached = cache.loader().fallback(to: held.storing(in: [cache]))
                let loader = cached.coalescing(in: flights) { Call.ID(key: $0.key, policy: $0.policy) }
                let key = Key(pipeline: "friends")

                let values = try await withThrowingTaskGroup(of: LoadReply.self) { group in
                    for _ in 0..<1_000 { group.addTask { try await loader(Call(key)) } }
                    while flights.waiterCount(of: key) < 1_000 { try await turn() }
                    counted.open()
                    return try await group.reduce(into: 0) { count, reply in
                        if case .value = reply.answer { count += 1 }
                    }
                }

                #expect(values == 1_000)
                #expect(server.requests.count == 1)
            }
        }
    }
}
