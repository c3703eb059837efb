import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesMemory

/// Ten thousand fetches of one key that no cache has, all at once.
enum ColdKey {
    private static let count = 10_000
    private static let text = """
        sources:
          memory: { type: memory }
          api: { type: gated }
        pipelines:
          friends:
            tiers: [{ source: memory, ttl: 1h }, api]
        """

    @concurrent
    static func rows() async throws -> [Row] {
        let warm = try await WarmPipeline(keys: 1_000)
        var mostCalls = 0
        let storm = try await Comparison.of(rounds: 21) {
            mostCalls = max(mostCalls, try await callsOfColdKey())
        } floor: {
            try await warm.fetch(count)
        }
        let tasks = try await Comparison.of(rounds: 11) {
            try await concurrentHits(warm)
        } floor: {
            try await warm.fetch(count)
        }
        return [
            Row("10,000 concurrent fetches of one cold key; floor: 10,000 memory hits", storm, atMost: 10),
            Row("… calls of the origin, the most of any round", figure: "\(mostCalls)", budget: "1", isMet: mostCalls == 1),
            Row("for comparison: 10,000 concurrent memory hits, each a task", tasks),
        ]
    }

    /// The origin answers when the last fetch has begun.
    private static func callsOfColdKey() async throws -> Int {
        let origin = GatedOrigin(awaiting: count)
        let plugin = SourcePlugin(origin: "gated", summary: "Answers when told to.") { _ in origin }
        let report = ConfigFile(text: Array(text.utf8), name: "benchmark").report(plugins: [.memory, plugin])
        let pipeline = try Pipelines(report).pipeline(named: "friends")
        let key = try pipeline.key()
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    origin.noteFetch()
                    use(try await pipeline.fetch(key))
                }
            }
            try await group.waitForAll()
        }
        return origin.calls
    }

    private static func concurrentHits(_ warm: WarmPipeline) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask { use(try await warm.pipeline.fetch(warm.keys[number % warm.keys.count])) }
            }
            try await group.waitForAll()
        }
    }
}
