internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios

extension TestCommand {
    /// Prints the results. What is wrong with files is on standard error in every format.
    func print(_ tested: [TestedSuite]) {
        for tested in tested {
            for problem in tested.suite.problems(hasColour: Console.error.hasColour) { Console.error.write(problem.text + "\n") }
        }
        let given = config.given.map { " -c \($0)" } ?? ""
        let showsSeed = seed != 1 || count != 1
        let options: @Sendable (ScenarioOutcome) -> String = { given + (showsSeed ? " --seed \($0.seed)" : "") }
        let report = ScenarioReport(tested, options: options)
        switch format {
        case .text: printText(tested, options)
        case .json: Console.output.write(report.json)
        case .junit: Console.output.write(report.junit)
        case .tap: Console.output.write(report.tap)
        case .github: Console.output.write(report.github)
        }
        if tested.allSatisfy({ $0.outcomes.isEmpty && $0.suite.isUsable }) {
            Console.say("no test was found", help: "`pipe-run test FILE` names a file")
        }
    }

    private func printText(_ tested: [TestedSuite], _ options: (ScenarioOutcome) -> String) {
        for tested in tested {
            let printer = ScenarioPrinter(tested.suite, options: "", hasColour: Console.output.hasColour)
            for outcome in tested.outcomes { Console.output.write(printer.text(outcome, options: options(outcome))) }
        }
        let outcomes = tested.flatMap(\.outcomes)
        let failed = outcomes.count { !$0.hasPassed }
        Console.output.writeLine("\(outcomes.count - failed) passed, \(failed) failed")
    }
}
