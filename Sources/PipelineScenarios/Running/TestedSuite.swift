/// A test file and what its runs came to. Every output is a pure function of a list of these.
package struct TestedSuite: Sendable {
    package let suite: ScenarioSuite
    /// In the order of the file; none where the file cannot be used.
    package let outcomes: [ScenarioOutcome]

    package init(_ suite: ScenarioSuite, outcomes: [ScenarioOutcome]) {
        (self.suite, self.outcomes) = (suite, outcomes)
    }

    /// Whether a run failed.
    package var hasFailed: Bool { outcomes.contains { !$0.hasPassed } }

    /// Plays `runs` of `suite`, each with each seed, on a thread of its own.
    ///
    /// - Parameter events: the most that may happen in each; the run fails in the step that reaches it.
    package static func play(
        _ runs: [ScenarioRun], of suite: ScenarioSuite, seeds: ClosedRange<UInt64>, atMost events: Int = ScenarioSuite.mostEvents
    ) async -> TestedSuite {
        guard suite.isUsable, !runs.isEmpty else { return TestedSuite(suite, outcomes: []) }
        return await JobLoop.run { loop in
            TestedSuite(suite, outcomes: runs.flatMap { run in seeds.compactMap { suite.play(run, seed: $0, atMost: events, on: loop) } })
        }
    }
}
