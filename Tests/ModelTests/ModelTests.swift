import PipelineScenarios
import TestSupport
import Testing

/// Random pipelines and random steps, on the engine and on a reference that is as plain as the rules.
@Suite
struct ModelTests {
    private static let stepsPerRun = 100

    @Test func `the engine does what the rules of loading say, step by step`() async {
        let runs = await JobLoop.run { loop in
            SeededRuns(of: 100_000) { seed in
                let (play, mismatch) = Play.random(seed: seed, steps: Self.stepsPerRun, loop: loop)
                return (play.steps.count, mismatch.map { _ in Self.account(of: play, loop) })
            }
        }

        print("model: \(runs.steps) steps in \(runs.count) runs")
        for failure in runs.failures { Issue.record("\(failure)") }
    }

    private static func account(of play: Play, _ loop: JobLoop) -> String {
        let shrunk = play.shrunk { $0.replay(loop).map { $0.step + 1 } }
        guard let mismatch = shrunk.replay(loop) else { return "a mismatch that does not come again" }
        return """
            \(shrunk.description)
            after the last step:
            \(mismatch.differences.joined(separator: "\n"))
            """
    }
}
