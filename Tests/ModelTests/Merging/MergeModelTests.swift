import TestSupport
import Testing

/// Random writes, messages and loads, merged and compared with the server's list.
@Suite
struct MergeModelTests {
    @Test func `quiet and after a landed load, the value is the server's, and nothing steps back before`() {
        let runs = SeededRuns(of: 100_000) { seed in
            let play = MergePlay.random(seed: seed, steps: 200)
            guard play.problem != nil else { return (play.steps.count, nil) }
            let shrunk = play.shrunk { $0.problem?.1 }
            return (play.steps.count, "\(shrunk)\n\(shrunk.problem?.0 ?? "")")
        }

        print("merge model: \(runs.steps) steps in \(runs.count) runs")
        for failure in runs.failures { Issue.record("\(failure)") }
    }
}
