internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios
internal import PipelineYAML

extension TestCommand {
    /// Prints the results. What is wrong with files is on standard error in every format.
    ///
    /// - Parameter reason: why no test was found, where that is known.
    func print(_ tested: [TestedSuite], reason: String? = nil) {
        for tested in tested {
            for problem in tested.suite.problems(hasColour: Console.error.hasColour) { Console.error.write(problem.text + "\n") }
        }
        let given = config.given.map { " -c \($0.asShellWord.printable)" } ?? ""
        let showsSeed = seed != 1 || count != 1
        let options: @Sendable (ScenarioOutcome) -> String = { given + (showsSeed ? " --seed \($0.seed)" : "") }
        let report = ScenarioReport(tested, options: options)
        let output = coverage?.isDocument == true ? Console.error : .output
        switch format {
        case .text: printText(tested, options, to: output)
        case .json: output.write(report.json)
        case .junit: output.write(report.junit)
        case .tap: output.write(report.tap)
        case .github: output.write(report.github)
        }
        if !tested.isEmpty, tested.allSatisfy({ $0.outcomes.isEmpty && $0.suite.isUsable }) {
            Console.say(
                "no test was found" + (reason.map { ": \($0)" } ?? ""), help: reason == nil ? "`pipe-run test FILE` names a file" : nil)
        }
    }

    private func printText(_ tested: [TestedSuite], _ options: (ScenarioOutcome) -> String, to output: Console) {
        for tested in tested {
            let printer = ScenarioPrinter(tested.suite, options: "", hasColour: output.hasColour)
            for outcome in tested.outcomes { output.show(printer.text(outcome, options: options(outcome))) }
        }
        let outcomes = tested.flatMap(\.outcomes)
        let failed = outcomes.count { !$0.hasPassed }
        output.writeLine("\(outcomes.count - failed) passed, \(failed) failed")
    }

    /// Where text goes that is no part of the results: standard error where a program reads standard output.
    private var besides: Console { format == .text && coverage?.isDocument != true ? .output : .error }

    /// Prints the coverage where it is asked for; gives whether it is enough.
    func checkCoverage(of tested: [TestedSuite]) -> Bool {
        guard coverage != nil || minCoverage != nil else { return true }
        let covered = Coverage(of: tested)
        let report = CoverageReport(covered)
        switch coverage {
        case .text: besides.show(report.text)
        case .json: Console.output.write(report.json)
        case .lcov: Console.output.write(report.lcov)
        case .html: Console.output.write(report.html)
        case .github: Console.output.write(report.github)
        case nil: break
        }
        let count = covered.count
        guard let minCoverage, !minCoverage.isMet(by: count.asserted, of: count.all) else { return true }
        Console.say("the coverage is \(count.text), which is less than --min-coverage", help: "`--coverage text` shows what is missing")
        return false
    }

    /// Prints what no test notices, where that is asked for; gives whether enough is noticed.
    func checkMutants(of tested: [TestedSuite]) async -> Bool {
        guard mutate else { return true }
        guard !tested.contains(where: { $0.hasFailed || !$0.suite.isUsable }) else {
            Console.say("nothing is changed before all tests pass", help: "`--mutate` shows what passing tests do not notice")
            return false
        }
        let report = MutationReport(await Mutation.of(tested, plugins: PipeRun.plugins, seed: seed))
        besides.show(report.text)
        return minScore?.isMet(by: report.killed, of: report.all) ?? true
    }

    /// Plays random steps where that is asked for, in each configuration once; gives whether they kept all rules.
    func checkRandomSteps(in tested: [TestedSuite]) async -> Bool {
        guard let explore else { return true }
        var explored: [ConfigFile] = []
        var explorations: [(file: String, exploration: Exploration)] = []
        for suite in tested.map(\.suite) where suite.isUsable {
            guard let file = suite.config, !explored.contains(where: file.isSame) else { continue }
            explored.append(file)
            explorations.append((file.name, await Exploration.of(suite, steps: explore, seed: seed)))
        }
        let report = ExplorationReport(explorations)
        besides.show(report.text)
        return !report.hasFindings
    }
}
