internal import Pipeline
internal import PipelineConfig

/// A run of steps that were drawn at random.
package struct ExploredRun {
    struct Fetch {
        let event: ScenarioEvent
        let took: Duration
        /// The time limit of the call.
        let limit: Duration?
    }

    let steps: [RandomStep]
    let pipeline: PipelinePlan
    package let outcome: ScenarioOutcome

    /// Plays the steps; nil where there is no such pipeline.
    static func play(
        _ steps: [RandomStep], of pipeline: PipelinePlan, in suite: ScenarioSuite, with arguments: NamedValues<ScenarioText>,
        on loop: JobLoop
    ) -> ExploredRun? {
        let scenario = Scenario(
            name: Placed("", at: .beginning), pipeline: Placed(pipeline.name, at: .beginning), orders: [], tags: [], only: nil,
            given: NamedValues(), steps: steps.map { $0.step(with: arguments) }, range: .beginning, isSound: true)
        return suite.play(ScenarioRun(scenario: scenario, order: nil), seed: 1, on: loop).map {
            ExploredRun(steps: steps, pipeline: pipeline, outcome: $0)
        }
    }

    /// The fetches with the time that each took.
    var fetches: [Fetch] {
        var time = Duration.zero
        var fetches: [Fetch] = []
        for (index, step) in steps.enumerated() {
            if case .wait(let duration) = step { time += duration }
            let mine = outcome.events.filter { $0.step == index + 1 }
            if let event = mine.first(where: { $0.kind == .fetch }) {
                let limit: Duration? = if case .fetchWithin(let limit) = step { limit } else { nil }
                fetches.append(Fetch(event: event, took: event.time - time, limit: limit))
            }
            // A step that is no wait may take its time, too.
            time = max(time, mine.filter { $0.kind != .write && $0.kind != .refresh }.map(\.time).max() ?? .zero)
        }
        return fetches
    }

    /// What each origin answers when the step at `index` begins.
    func answers(before index: Int) -> [String: RandomStep.Answer] {
        steps[..<index].reduce(into: [:]) { answers, step in
            if case .answer(let source, let answer) = step { answers[source] = answer }
        }
    }
}
