import Pipeline

/// Ten thousand fetches of one key that no cache has, all at once.
enum ColdKey {
    private static let (count, rounds) = (10_000, 21)

    @concurrent
    static func rows() async throws -> [Row] {
        let warm = try await WarmPipeline(keys: 1_000)
        // Made beforehand, one for each round: a key is cold once.
        var colds = try (0...rounds).map { _ in try ColdPipeline(awaiting: count) }
        var mostCalls = 0
        let storm = try await Comparison.of(rounds: rounds) {
            let cold = colds.removeLast()
            try await cold.fetch(count)
            mostCalls = max(mostCalls, cold.origin.calls)
        } floor: {
            try await concurrentHits(warm)
        }
        let tasks = try await Comparison.of(rounds: 11) {
            try await concurrentHits(warm)
        } floor: {
            try await warm.fetch(count)
        }
        return [
            Row("10,000 concurrent fetches of one cold key; floor: 10,000 concurrent memory hits, each a task", storm, atMost: 2),
            Row("… calls of the origin, the most of any round", figure: "\(mostCalls)", budget: "1", isMet: mostCalls == 1),
            Row("for comparison: those memory hits; floor: 10,000 one after the other", tasks),
        ]
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
