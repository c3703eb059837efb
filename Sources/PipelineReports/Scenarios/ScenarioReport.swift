internal import Pipeline
internal import PipelineConfig
package import PipelineScenarios

/// The results of tests for programs: JSON, JUnit, TAP and the commands of a GitHub workflow, each a pure function of the results.
package struct ScenarioReport {
    let tested: [TestedSuite]
    /// The options that a command needs besides to run a test again.
    let options: @Sendable (ScenarioOutcome) -> String

    package init(_ tested: [TestedSuite], options: @escaping @Sendable (ScenarioOutcome) -> String = { _ in "" }) {
        (self.tested, self.options) = (tested, options)
    }

    /// The name of a run in its file: each once, also where tests run with several seeds.
    func name(of outcome: ScenarioOutcome, in tested: TestedSuite) -> String {
        let title = tested.suite.report?.redactor.redacted(outcome.title) ?? outcome.title
        return tested.outcomes.contains { $0.seed != outcome.seed } ? "\(title), seed \(outcome.seed)" : title
    }

    /// A failure as people read it: the place, what happened, and how to run it again.
    func text(of outcome: ScenarioOutcome, in tested: TestedSuite) -> String {
        ScenarioPrinter(tested.suite, options: options(outcome), hasColour: false).text(outcome)
    }

    /// What keeps the tests of a file from running; none where they ran.
    func problems(of tested: TestedSuite) -> [ScenarioProblem] {
        tested.suite.isUsable ? [] : tested.suite.problems(hasColour: false).filter { $0.diagnostic.severity == .error }
    }
}
