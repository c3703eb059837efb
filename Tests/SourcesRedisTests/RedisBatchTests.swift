import Pipeline
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesRedis

/// Several copies with one command.
@Suite(.timeLimit(.minutes(15)))
struct RedisBatchTests {
    @Test func `Several copies are read with one MGET, and something else than a copy is none`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                let now = PipelineClock.system.now
                for id in 0..<4 { try await source.write(Entry(Array("[\(id)]".utf8), created: now), for: .user("\(id)")) }
                _ = try await server.ask("LPUSH", source.names.copy(of: .user("odd")), "1")
                _ = try await server.ask("CONFIG", "RESETSTAT")
                let batching = try #require(source.batching)
                let answer = try await batching.read(["3", "none", "0", "odd"].map(Key.user), ReadContext())
                #expect(try answer.results.map { try $0.get()?.text } == ["[3]", nil, "[0]", nil])
                let counts = try await server.ask("INFO", "commandstats").text ?? ""
                #expect(counts.contains("cmdstat_mget:calls=1,") && !counts.contains("cmdstat_get:"))
            }
        }
    }

    @Test func `A copy that is torn is an error of its own`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await source.write(Entry(Array("[1]".utf8), created: PipelineClock.system.now), for: .user("1"))
                _ = try await server.ask("SET", source.names.copy(of: .user("2")), "x")
                let answer = try await #require(source.batching).read(["1", "2"].map(Key.user), ReadContext())
                #expect(try answer.results[0].get()?.text == "[1]")
                #expect(throws: SourceError.self) { try answer.results[1].get() }
            }
        }
    }
}
