import PipelineScenarios
import Testing

/// Scenarios in the scripted world and with real sources. The time is real here: the sources that a script stands in for have no other.
struct RealityTests {
    @Test func `what a script says is what files, a database and a server do`() async throws {
        let suite = Tested.suite("reality.test.yaml")
        let tested = await Tested.play(suite)
        try #require(Tested.report(of: tested) == "")

        // All at once: each waits for most of its time.
        let plays = try await withThrowingTaskGroup(of: (Int, SeenRun, [String], isLate: Bool).self) { group in
            for (index, run) in suite.runs.enumerated() {
                group.addTask {
                    let play = try await RealPlay.play(run, of: suite, scripted: tested.outcomes[index])
                    return (index, play.seen, play.failures, play.isLate && !play.agrees)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(plays.count == suite.runs.count && plays.count >= 10)
        for (index, seen, failures, isLate) in plays {
            let outcome = tested.outcomes[index]
            #expect(!isLate, "the machine is too busy for `\(outcome.title)`")
            #expect(failures == [], "\(outcome.title)")
            #expect(seen == SeenRun(outcome), "\(outcome.title)")
        }
    }
}
