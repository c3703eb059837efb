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

    /// What keeps the tests of a file from running; none where they ran.
    func problems(of tested: TestedSuite) -> [ScenarioProblem] {
        tested.suite.isUsable ? [] : tested.suite.problems(hasColour: false).filter { $0.diagnostic.severity == .error }
    }
}

/// How the runs of one file are named and told.
struct ScenarioNames {
    private let redactor: Redactor?
    private let printer: ScenarioPrinter
    private let options: @Sendable (ScenarioOutcome) -> String
    private let hasSeveralSeeds: Bool

    init(_ tested: TestedSuite, options: @escaping @Sendable (ScenarioOutcome) -> String) {
        redactor = tested.suite.report?.redactor
        printer = ScenarioPrinter(tested.suite, options: "", hasColour: false)
        self.options = options
        hasSeveralSeeds = tested.outcomes.contains { $0.seed != tested.outcomes[0].seed }
    }

    /// The name of a run in its file: each once, also where tests run with several seeds.
    func name(of outcome: ScenarioOutcome) -> String {
        let title = masked(outcome.title)
        return hasSeveralSeeds ? "\(title), seed \(outcome.seed)" : title
    }

    func masked(_ text: String) -> String { redactor?.redacted(text) ?? text }

    /// A failure as people read it: the place, what happened, and how to run it again.
    func text(of outcome: ScenarioOutcome) -> String { printer.text(outcome, options: options(outcome)) }
}
