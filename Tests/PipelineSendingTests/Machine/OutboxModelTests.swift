import Pipeline
import TestSupport
import Testing

@testable import PipelineSending

/// Random callers, faults of the network, of disks and of origins, kills and clocks, with two processes of one outbox.
@Suite struct OutboxModelTests {
    @Test func `SD-04 SD-05 SD-21 SD-23 none is lost, none is made twice, and lanes keep their order, wherever a process dies`() {
        var kills: [KillPoint: Int] = [:]
        let runs = SeededRuns(of: 50_000) { seed in
            let play = SendPlay.random(seed: seed, steps: 200)
            guard play.failure(&kills) != nil else { return (play.steps.count, nil) }
            var none: [KillPoint: Int] = [:]
            let shrunk = play.shrunk { $0.failure(&none)?.steps }
            return (play.steps.count, "\(shrunk)\n\(shrunk.failure(&none)?.problem ?? "")")
        }

        let points = KillPoint.allCases.map { "\($0.rawValue) \(kills[$0] ?? 0)" }
        print("outbox model: \(runs.steps) steps in \(runs.count) runs; killed when \(points.joined(separator: ", "))")
        for failure in runs.failures { Issue.record("\(failure)") }
        if Setting.seed == nil { #expect(Set(kills.keys) == Set(KillPoint.allCases)) }
    }
}
