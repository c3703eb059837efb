internal import ArgumentParser
internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios
internal import PipelineYAML

/// One `test` command: what it plays, and what it prints.
struct TestRun: Sendable {
    /// The configuration that the command names; nil for those of the test files.
    let config: String?
    let seed: UInt64
    /// The number of seeds each test is played with.
    let count: Int
    let format: TestFormat
    let coverage: CoverageFormat?
    let byOrder: Bool
    let minCoverage: LeastShare?
    let mutates: Bool
    let minScore: LeastShare?
    /// The number of random steps to play; nil for none.
    let explored: Int?

    init(_ command: TestCommand) {
        (config, seed, count, format) = (command.config.given, command.seed, command.count, command.format)
        (coverage, byOrder, minCoverage, mutates, minScore) = (
            command.coverage, command.byOrder, command.minCoverage, command.mutate, command.minScore
        )
        explored = command.explore
    }

    /// Plays the runs of each suite and prints what came of them, and what else is asked for; gives the exit code unless all went well.
    ///
    /// When the task is cancelled, it prints what there is.
    func play(_ planned: [(suite: ScenarioSuite, runs: [ScenarioRun])], reason: String?, noting kept: FailedTests) async -> ExitCode? {
        let (last, isBeyond) = seed.addingReportingOverflow(UInt64(count) - 1)
        let seeds = seed...(isBeyond ? .max : last)
        var tested: [TestedSuite] = []
        for (suite, runs) in planned { tested.append(await TestedSuite.play(runs, of: suite, seeds: seeds)) }
        print(tested, reason: reason)
        var failures = kept
        failures.note(tested)
        let (all, isTooMuch) = planned.reduce(0) { $0 + $1.runs.count }.multipliedReportingOverflow(by: count)
        let left = (isTooMuch ? .max : all) - tested.reduce(0) { $0 + $1.outcomes.count }
        if Task.isCancelled, left > 0 { Console.say("interrupted, \(left == 1 ? "1 test" : "\(left) tests") left") }
        if tested.contains(where: { !$0.suite.isUsable }) { return ExitStatus.badConfiguration }
        // What a part of the tests covers and kills is no answer.
        if Task.isCancelled, left > 0 { return nil }
        let isCovered = checkCoverage(of: tested)
        let isKilled = await checkMutants(of: tested)
        let isSound = await checkRandomSteps(in: tested)
        let isGood = isCovered && isKilled && isSound && !tested.contains(where: \.hasFailed) && !tested.allSatisfy(\.outcomes.isEmpty)
        return isGood ? nil : ExitStatus.no
    }
}

extension TestRun {
    /// Prints the results. What is wrong with files is on standard error in every format.
    ///
    /// - Parameter reason: why no test was found, where that is known.
    func print(_ tested: [TestedSuite], reason: String? = nil) {
        for tested in tested {
            for problem in tested.suite.problems(hasColour: Console.error.hasColour) { Console.error.write(problem.text + "\n") }
        }
        let given = config.map { " -c \($0.asShellWord.printable)" } ?? ""
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
        if !tested.isEmpty, !Task.isCancelled, tested.allSatisfy({ $0.outcomes.isEmpty && $0.suite.isUsable }) {
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

    /// The console for text that is no part of the results: standard error if a program reads standard output.
    private var besides: Console { format == .text && coverage?.isDocument != true ? .output : .error }

    /// Prints the coverage where it is asked for; gives whether it is enough.
    func checkCoverage(of tested: [TestedSuite]) -> Bool {
        guard coverage != nil || minCoverage != nil else { return true }
        let covered = Coverage(of: tested, byOrder: byOrder)
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
        guard mutates else { return true }
        guard !tested.contains(where: { $0.hasFailed || !$0.suite.isUsable }) else {
            Console.say("nothing is changed before all tests pass", help: "`--mutate` shows what passing tests do not notice")
            return false
        }
        let report = MutationReport(await Mutation.of(tested, plugins: Program.plugins, seed: seed))
        besides.show(report.text)
        return minScore?.isMet(by: report.killed, of: report.all) ?? true
    }

    /// Plays random steps where that is asked for, in each configuration once; gives whether they kept all rules.
    func checkRandomSteps(in tested: [TestedSuite]) async -> Bool {
        guard let steps = explored else { return true }
        var files: [ConfigFile] = []
        var explorations: [(file: String, exploration: Exploration)] = []
        for suite in tested.map(\.suite) where suite.isUsable {
            guard let file = suite.config, !files.contains(where: file.isSame) else { continue }
            files.append(file)
            explorations.append((file.name, await Exploration.of(suite, steps: steps, seed: seed)))
        }
        let report = ExplorationReport(explorations)
        besides.show(report.text)
        return !report.hasFindings
    }
}
