import PipelineScenarios
import Testing

/// Random pipelines and random steps, on the engine and on a reference that is as plain as the rules.
@Suite
struct ModelTests {
    private static let stepsPerRun = 100

    @Test func `the engine does what the rules of loading say, step by step`() async {
        let report = await JobLoop.run { loop in Self.play(loop) }

        print("model: \(report.steps) steps in \(report.runs) runs")
        for failure in report.failures { Issue.record("\(failure)") }
    }

    private struct Report: Sendable {
        var steps = 0
        var runs = 0
        var failures: [String] = []
    }

    private static func play(_ loop: JobLoop) -> Report {
        var report = Report()
        let clock = ContinuousClock()
        let end = Setting.minutes.map { clock.now + .seconds(60 * $0) }
        let wanted = Setting.steps ?? 100_000
        var seed = Setting.seed ?? (end == nil ? 1 : UInt64.random(in: 1 ... .max / 2))
        while report.failures.count < 3 {
            let (play, mismatch) = Play.random(seed: seed, steps: stepsPerRun, loop: loop)
            report.runs += 1
            report.steps += play.steps.count
            if mismatch != nil { report.failures.append(account(of: play, seed: seed, loop)) }
            seed += 1
            if Setting.seed != nil || end.map({ clock.now >= $0 }) ?? (report.steps >= wanted) { break }
        }
        return report
    }

    private static func account(of play: Play, seed: UInt64, _ loop: JobLoop) -> String {
        let shrunk = play.shrunk(loop)
        guard let mismatch = shrunk.replay(loop) else { return "MODEL_SEED=\(seed): a mismatch that does not come again" }
        return """
            MODEL_SEED=\(seed)
            \(shrunk.description)
            after the last step:
            \(mismatch.differences.joined(separator: "\n"))
            """
    }
}
