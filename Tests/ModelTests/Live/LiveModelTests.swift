import Testing

/// Random writes on a server, and a pipeline that follows them over a feed: loads that begin and land, messages that come late, twice or never,
/// connections that are lost, refreshes and removals between.
@Suite(.timeLimit(.minutes(5 + (Setting.minutes ?? 0)))) struct LiveModelTests {
    @Test func `live and quiet, the value is the server's`() async throws {
        let clock = ContinuousClock()
        let end = Setting.minutes.map { clock.now + .seconds(60 * $0) }
        let first = Setting.seed ?? (end == nil ? 1 : UInt64.random(in: 1 ... .max / 2))
        var seed = first
        repeat {
            var world = try LiveWorld(seed: seed)
            if let problem = try await world.play(steps: 60) {
                Issue.record("MODEL_SEED=\(seed)\n\(problem)")
                return
            }
            seed += 1
        } while Setting.seed == nil && (end.map { clock.now < $0 } ?? (seed - first < 150))
        print("live model: \(seed - first) servers")
    }
}
