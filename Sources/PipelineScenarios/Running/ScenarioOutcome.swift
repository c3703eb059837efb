package import PipelineConfig

/// The outcome of one run of a test. Every output is made from values of this type. Texts are masked.
package struct ScenarioOutcome: Sendable {
    /// The test file as the user named it.
    package let file: String
    /// The configuration as the user named it, where the places of events are.
    package let config: String
    package let name: String
    /// The place of the test.
    package let range: TextRange
    /// The name of the order that it ran in, or its sources with commas; nil for the pipeline's own.
    package let order: String?
    package let pipeline: String
    package let seed: UInt64
    package let tags: [String]
    package let failure: ScenarioFailure?
    /// The events of the run, in order.
    package let events: [ScenarioEvent]
    /// Every expectation that was looked at, in order.
    package let checks: [ScenarioCheck]
    /// The time the run took.
    package let elapsed: Duration
    /// The virtual time that passed.
    package let virtual: Duration
    /// A digest of all that happened: equal for equal runs, in every process.
    package let digest: UInt64
    /// Indicates whether another seed may come to something else: a random number was asked for, or a copy evicted.
    package var dependsOnSeed = true

    package var line: Int { range.start.line }
    package var hasPassed: Bool { failure == nil }
    /// `NAME [ORDER]`.
    package var title: String { order.map { "\(name) [\($0)]" } ?? name }
}

/// An expectation that was looked at, whether it was met or not.
package struct ScenarioCheck: Sendable, Hashable {
    /// The step, from 1.
    package let step: Int
    /// The field that was expected: `stale`, `tiers`, `api calls`.
    package let field: String
    /// The source, for an expectation of one.
    package let source: String?
    package let isMet: Bool
}

/// The reason why a test failed: the first expectation that was not met. Texts are masked.
package struct ScenarioFailure: Sendable, Hashable {
    /// The step, from 1, and its word.
    package let step: Int
    package let word: String
    /// The time since the beginning.
    package let time: Duration
    /// The field that was expected: `stale`, `api calls`; empty if the step itself failed.
    package let field: String
    /// The place where the expected value is written; the step if nothing was expected.
    package let range: TextRange
    package let expected: String?
    package let actual: String?
    /// The complete sentence: `stale is true, expected false`.
    package let message: String
}

/// A test file and what its runs came to. Every output is a pure function of a list of these.
package struct TestedSuite: Sendable {
    package let suite: ScenarioSuite
    /// The outcomes in the order of the file; none if the file cannot be used.
    package let outcomes: [ScenarioOutcome]

    package init(_ suite: ScenarioSuite, outcomes: [ScenarioOutcome]) {
        (self.suite, self.outcomes) = (suite, outcomes)
    }

    /// Indicates whether a run failed.
    package var hasFailed: Bool { outcomes.contains { !$0.hasPassed } }

    /// Plays `runs` of `suite`, each with each seed, on a thread of its own. When the task is cancelled, those that ended are there.
    ///
    /// - Parameter events: the most that may happen in each; the run fails in the step that reaches it.
    package static func play(
        _ runs: [ScenarioRun], of suite: ScenarioSuite, seeds: ClosedRange<UInt64>, atMost events: Int = ScenarioSuite.mostEvents
    ) async -> TestedSuite {
        guard suite.isUsable, !runs.isEmpty else { return TestedSuite(suite, outcomes: []) }
        return await JobLoop.run { loop in
            var outcomes: [ScenarioOutcome] = []
            for run in runs {
                for seed in seeds {
                    if loop.isCancelled { return TestedSuite(suite, outcomes: outcomes) }
                    outcomes += [suite.play(run, seed: seed, atMost: events, on: loop)].compactMap(\.self)
                }
            }
            return TestedSuite(suite, outcomes: outcomes)
        }
    }
}
