internal import Pipeline
internal import PipelineConfig

/// Random steps with faults on a configuration, checked against what every run keeps.
package struct Exploration: Sendable {
    package struct Finding: Sendable {
        package let pipeline: String
        package let message: String
        /// The shortest steps that show it, as a test in YAML.
        package let test: String
    }

    /// How many steps were played.
    package let steps: Int
    /// At most one for each pipeline.
    package let findings: [Finding]

    /// Plays `count` steps or a few more, the same number in each pipeline of the configuration.
    package static func of(_ suite: ScenarioSuite, steps count: Int, seed: UInt64, invariants: [Invariant] = Invariant.all) async
        -> Exploration
    {
        await JobLoop.run { loop in
            guard suite.isUsable, let pipelines = suite.report?.plan.pipelines, !pipelines.isEmpty else {
                return Exploration(steps: 0, findings: [])
            }
            let share = (count + pipelines.count - 1) / pipelines.count
            let walks = pipelines.map { RandomWalk($0, of: suite, invariants: invariants).walk(share, seed: seed, on: loop) }
            return Exploration(steps: walks.reduce(0) { $0 + $1.steps }, findings: walks.compactMap(\.finding))
        }
    }
}

/// Random steps in one pipeline.
private struct RandomWalk {
    private let pipeline: PipelinePlan
    private let suite: ScenarioSuite
    private let invariants: [Invariant]
    private let arguments: NamedValues<ScenarioText>

    init(_ pipeline: PipelinePlan, of suite: ScenarioSuite, invariants: [Invariant]) {
        (self.pipeline, self.suite, self.invariants) = (pipeline, suite, invariants)
        arguments = suite.arguments(of: pipeline)
    }

    /// How many steps are played in a row.
    private static let length = 20

    func walk(_ count: Int, seed: UInt64, on loop: JobLoop) -> (steps: Int, finding: Exploration.Finding?) {
        var drawer = StepDrawer(pipeline, with: arguments, seed: seed)
        var played = 0
        while played < count {
            let steps = drawer.steps(Self.length, isExploring: true)
            played += steps.count
            guard let violation = violation(of: steps, on: loop) else { continue }
            let (shrunk, last) = shrink(Array(steps[..<violation.step]), violation, on: loop)
            let text = RandomStep.test(
                named: "\(pipeline.name): \(last.message.filter { $0 != "`" })", pipeline: pipeline.name, shrunk, arguments,
                expecting: last.expected)
            let mask: (String) -> String = suite.report?.redactor.redacted ?? { $0 }
            return (played, Exploration.Finding(pipeline: pipeline.name, message: mask(last.message), test: mask(text)))
        }
        return (played, nil)
    }

    private func violation(of steps: [RandomStep], on loop: JobLoop) -> Invariant.Violation? {
        guard let run = ExploredRun.play(steps, of: pipeline, in: suite, with: arguments, on: loop) else { return nil }
        return invariants.lazy.compactMap { $0.violation(run) }.first
    }

    private func shrink(
        _ steps: [RandomStep], _ found: Invariant.Violation, on loop: JobLoop
    ) -> (steps: [RandomStep], violation: Invariant.Violation) {
        var last = found
        let shrunk = RandomStep.shrink(steps) { fewer in
            guard let violation = violation(of: fewer, on: loop), violation.step == fewer.count else { return false }
            last = violation
            return true
        }
        return (shrunk, last)
    }
}
