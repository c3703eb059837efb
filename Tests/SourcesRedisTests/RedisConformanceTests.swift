import Pipeline
import PipelineConfig
import PipelineTesting
import Testing

@testable import SourcesRedis

@Suite struct RedisConformanceTests {
    @Test(arguments: [1, 3]) func `a server keeps the contract of a cache`(pool: Int) async throws {
        try await RedisServer.run { server async throws in
            let time = ManualClock()
            var count = 0

            let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.redis.capabilities, clock: time.clock) {
                count += 1
                return try makeSource(server.url(), clock: time.clock) {
                    $0.prefix = "check\(count):"
                    $0.pool = pool
                }
            }

            #expect(violations == [])
        }
    }

    @Test func `the plugin declares its fields`() {
        let declarations = SourcePlugin.redis.declarations

        #expect(declarations.map(\.name) == ["url", "prefix", "timeout", "pool", "ca_file", "invalidation", "shared_flight"])
        #expect(declarations.map(\.isRequired) == [true, false, false, false, false, false, false])
        #expect(declarations.map(\.defaultText) == [nil, "pipe-run:", "1s", "1", nil, "false", "false"])
        #expect(declarations.map(\.role) == [.place, .keyPrefix, nil, nil, nil, nil, nil])
    }
}
