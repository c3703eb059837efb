internal import PipelineConfig
internal import PipelineScenarios

extension ScenarioReport {
    /// A command of a GitHub workflow for each failure, at what was expected; one line each, and none where every test passed.
    package var github: String {
        let lines = tested.flatMap { tested in
            let names = ScenarioNames(tested, options: options)
            return tested.outcomes.compactMap { outcome in
                outcome.failure.map { failure in
                    // The first line of the report is the title.
                    let report = names.text(of: outcome).split(separator: "\n").dropFirst().joined(separator: "\n")
                    return WorkflowCommands.line(
                        "error", file: outcome.file, at: failure.range, title: names.name(of: outcome).printable,
                        "\(failure.message.printable)\n\(report)") + "\n"
                }
            }
        }
        let none =
            tested.allSatisfy { $0.outcomes.isEmpty && $0.suite.isUsable } ? ["::error title=pipe-run test::no test was found\n"] : []
        return (tested.map { WorkflowCommands.text(problems(of: $0).map(\.diagnostic)) } + lines + none).joined()
    }
}
