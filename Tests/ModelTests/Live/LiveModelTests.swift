import Testing

/// Random writes on a server, and a pipeline that follows them over a feed: loads that begin and land, messages that come late, twice or never,
/// connections that are lost, refreshes and removals between.
@Suite(.timeLimit(.minutes(5))) struct LiveModelTests {
    @Test func `live and quiet, the value is the server's`() async throws {
        for seed in (Setting.seed.map { $0...$0 } ?? 1...150) {
            var world = try LiveWorld(seed: seed)
            if let problem = try await world.play(steps: 60) {
                Issue.record("MODEL_SEED=\(seed)\n\(problem)")
                return
            }
        }
    }
}
