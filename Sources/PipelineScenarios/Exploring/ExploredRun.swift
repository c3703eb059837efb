internal import Pipeline
internal import PipelineConfig

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

    /// Plays the steps; nil where there is no such pipeline.
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

    /// What each origin answers when the step at `index` begins.
    func answers(before index: Int) -> [String: RandomStep.Answer] {
        steps[..<index].reduce(into: [:]) { answers, step in
            if case .answer(let source, let answer) = step { answers[source] = answer }
        }
    }
}
