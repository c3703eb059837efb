internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// Random steps with faults on a configuration, checked against what every run keeps.
package struct Exploration: Sendable {
    package struct Finding: Sendable {
        package let pipeline: String
        package let message: String
        /// The shortest steps that show it, as a test in YAML, which fails; nil if no fetch shows what happened in the background.
        package let test: String?
    }

    /// The number of steps that were played.
    package let steps: Int
    /// The number of steps that were not played, because the task was cancelled.
    package let left: Int
    /// The findings, at most one for each pipeline.
    package let findings: [Finding]

    /// Plays `count` steps or a few more, the same number in each pipeline of the configuration; fewer when the task is cancelled.
    package static func of(_ suite: ScenarioSuite, steps count: Int, seed: UInt64, invariants: [Invariant] = Invariant.all) async
        -> Exploration
    {
        await JobLoop.run { loop in
            guard suite.isUsable, let pipelines = suite.report?.plan.pipelines, !pipelines.isEmpty else {
                return Exploration(steps: 0, left: 0, findings: [])
            }
            let share = (count + pipelines.count - 1) / pipelines.count
            let walks = pipelines.map { RandomWalk($0, of: suite, invariants: invariants).walk(share, seed: seed, on: loop) }
            let left = loop.isCancelled ? walks.reduce(0) { $0 + max(0, share - $1.steps) } : 0
            return Exploration(steps: walks.reduce(0) { $0 + $1.steps }, left: left, findings: walks.compactMap(\.finding))
        }
    }
}

/// Random steps in one pipeline.
private struct RandomWalk {
    private let pipeline: PipelinePlan
    private let suite: ScenarioSuite
    private let invariants: [Invariant]
    private let arguments: NamedValues<ScenarioText>
    /// The sends that change it.
    private let sends: [(plan: SendPlan, spec: SendSpec)]

    init(_ pipeline: PipelinePlan, of suite: ScenarioSuite, invariants: [Invariant]) {
        (self.pipeline, self.suite, self.invariants) = (pipeline, suite, invariants)
        arguments = suite.arguments(of: pipeline)
        sends = (suite.report?.plan.sends ?? []).filter { $0.changedPipelines.contains(pipeline.name) }.kinds
    }

    /// The number of steps that are played in a row.
    private static let length = 20

    func walk(_ count: Int, seed: UInt64, on loop: JobLoop) -> (steps: Int, finding: Exploration.Finding?) {
        var drawer = StepDrawer(pipeline, parts: suite.parts(of: pipeline), sends: [sends.map(\.plan)], with: arguments, seed: seed)
        var played = 0
        var hidden: Invariant.Violation?
        while played < count, !loop.isCancelled {
            let steps = drawer.steps(Self.length, isExploring: true)
            guard let violation = violation(of: steps, on: loop) else {
                played += loop.isCancelled ? 0 : steps.count
                continue
            }
            played += steps.count
            if let shown = shortest(of: steps, violation, on: loop) { return (played, finding(shown.violation, shown.test)) }
            // Who is interrupted has not tried to show it.
            if !loop.isCancelled { hidden = hidden ?? violation }
        }
        return (played, hidden.map { finding($0, nil) })
    }

    private func finding(_ violation: Invariant.Violation, _ test: String?) -> Exploration.Finding {
        let mask: (String) -> String = suite.report?.redactor.redacted ?? { $0 }
        return Exploration.Finding(pipeline: pipeline.name, message: mask(violation.message), test: test.map(mask))
    }

    private func violation(of steps: [RandomStep], on loop: JobLoop) -> Invariant.Violation? {
        guard var run = ExploredRun.play(steps, of: pipeline, in: suite, with: arguments, on: loop) else { return nil }
        run.sends = sends
        // What was not kept of a step could be what a rule needs to know.
        if !sends.isEmpty, run.isCut { return Invariant.ends.violation(run) }
        return invariants.lazy.compactMap { $0.violation(run) }.first
    }

    /// The shortest test that shows a violation, and fails when it is run; nil if none does.
    private func shortest(
        of steps: [RandomStep], _ found: Invariant.Violation, on loop: JobLoop
    ) -> (violation: Invariant.Violation, test: String)? {
        var row = Array(steps[..<found.step])
        // What happened in the background of another step is shown by a fetch or a look after it.
        let isShownByLast = found.showing == .fetch && row.last?.isFetch == true
        if !isShownByLast { row.append(found.showing) }
        var shown: (violation: Invariant.Violation, test: String)?
        func isShown(_ fewer: [RandomStep]) -> Bool {
            guard let violation = violation(of: fewer, on: loop), violation.showing == found.showing,
                violation.step >= fewer.count - (isShownByLast ? 0 : 1)
            else { return false }
            let test = RandomStep.test(
                named: "\(pipeline.name): \(violation.message.filter { $0 != "`" })", pipeline: pipeline.name, fewer, arguments,
                expecting: violation.expected)
            guard suite.fails(test, on: loop) else { return false }
            shown = (violation, test)
            return true
        }
        if isShown(row) { _ = RandomStep.shrink(row, isShown) }
        return shown
    }
}

/// A run of steps that were drawn at random.
package struct ExploredRun {
    struct Fetch {
        let event: ScenarioEvent
        /// The time limit of the call.
        let limit: Duration?
    }

    let steps: [RandomStep]
    let pipeline: PipelinePlan
    package let outcome: ScenarioOutcome
    /// The kinds of sends that may be among the steps.
    var sends: [(plan: SendPlan, spec: SendSpec)] = []

    /// Plays the steps; nil if there is no such pipeline.
    static func play(
        _ steps: [RandomStep], of pipeline: PipelinePlan, in suite: ScenarioSuite, with arguments: NamedValues<ScenarioText>,
        seed: UInt64 = 1, on loop: JobLoop
    ) -> ExploredRun? {
        let scenario = Scenario(
            name: Placed("", at: .beginning), pipeline: Placed(pipeline.name, at: .beginning), orders: [], tags: [], only: nil,
            given: NamedValues(), steps: steps.map { $0.step(with: arguments) }, range: .beginning, isSound: true)
        return suite.play(ScenarioRun(scenario: scenario, order: nil), seed: seed, on: loop).map {
            ExploredRun(steps: steps, pipeline: pipeline, outcome: $0)
        }
    }

    /// The first fetch of each step that fetches.
    var fetches: [Fetch] {
        steps.enumerated().compactMap { index, step in
            guard let event = outcome.events.first(where: { $0.step == index + 1 && $0.kind == .fetch }) else { return nil }
            let limit: Duration? = if case .fetchWithin(let limit) = step { limit } else { nil }
            return Fetch(event: event, limit: limit)
        }
    }

    /// Indicates whether more happened in a step than is kept of it.
    var isCut: Bool {
        var told: [Int: Int] = [:]
        return outcome.events.contains { event in
            guard event.kind.isTold else { return false }
            told[event.step, default: 0] += 1
            return told[event.step, default: 0] >= Story.mostTold
        }
    }

    /// The answer of each origin when the step at `index` begins.
    func answers(before index: Int) -> [String: RandomStep.Answer] {
        steps[..<index].reduce(into: [:]) { answers, step in
            if case .answer(let source, let answer) = step { answers[source] = answer }
        }
    }
}
