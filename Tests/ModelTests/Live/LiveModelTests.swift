import PipelineScenarios
import TestSupport
import Testing

/// Random writes on a server, and a pipeline that follows them over a feed: loads that begin, land and fail, messages that come late, twice, out
/// of order or never, connections that are lost; fetches, puts, removals and two observers between.
@Suite(.timeLimit(.minutes(15 + (Setting.minutes ?? 0)))) struct LiveModelTests {
    @Test func `live and quiet, the value is the server's, and before no item steps back and nothing removed comes again`() async {
        let runs = await JobLoop.run { loop in
            SeededRuns(of: 100_000) { seed in
                let play = LivePlay.random(seed: seed, steps: 100)
                guard play.failure(loop) != nil else { return (play.steps.count, nil) }
                let shrunk = play.shrunk { $0.failure(loop)?.steps }
                return (play.steps.count, "\(shrunk)\n\(shrunk.failure(loop)?.problem ?? "a failure that does not come again")")
            }
        }

        print("live model: \(runs.steps) steps on \(runs.count) servers")
        for failure in runs.failures { Issue.record("\(failure)") }
    }
}
