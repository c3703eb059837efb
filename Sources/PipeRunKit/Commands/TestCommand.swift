internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios
internal import PipelineYAML

struct TestCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "test",
        abstract: "Runs the scenario tests of configurations, without a network and in virtual time.",
        discussion: """
            A folder stands for the files below it whose names end in .test.yaml; `FILE:LINE` for the test at that line. Without any, the \
            tests beside the configuration run.

            Exit codes: 0 all passed; 1 a test failed, or none was found; 2 a file cannot be used.
            """)

    @Argument(
        help: ArgumentHelp("Test files, `FILE:LINE`, or folders.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String] = []

    @OptionGroup var config: ConfigOptions

    @Option(help: "Run the tests whose name matches this regular expression.", transform: TestCommand.regex)
    var filter: Regex<AnyRegexOutput>?

    @Option(help: "Run the tests with this tag; may be repeated.")
    var tag: [String] = []

    @Flag(help: "Run the tests that failed last; all where none did.")
    var failed = false

    @Option(
        help: ArgumentHelp("Run each test in this order: a name, or sources with commas.", valueName: "a,b,c"),
        completion: Suggestions.order)
    var order: String?

    @Option(help: "The seed of what is random.")
    var seed: UInt64 = 1

    @Option(name: .customLong("repeat"), help: ArgumentHelp("Run each test with so many seeds.", valueName: "number"))
    var count = 1

    @Option(help: "The output format: text.")
    var format = TestFormat.text

    func validate() throws {
        if count < 1 { throw ValidationError("--repeat takes a number of at least 1") }
    }

    private static func regex(_ pattern: String) throws -> Regex<AnyRegexOutput> {
        do { return try Regex(pattern) } catch { throw ValidationError("`\(pattern)` is no regular expression") }
    }

    func perform() async throws {
        let kept = FailedTests()
        var selection = TestSelection(pattern: filter, tags: tag, order: order)
        if failed, !kept.isEmpty { selection.failed = kept }
        let seeds = seed...(seed &+ UInt64(count) &- 1 < seed ? .max : seed + UInt64(count) - 1)
        var tested: [TestedSuite] = []
        for target in try targets() {
            selection.lines = target.lines
            let suite = ScenarioSuite(target.file, config: config.given, plugins: PipeRun.plugins, isForCI: format.isForCI)
            let runs = suite.isUsable ? try selection.runs(of: suite) : []
            tested.append(await TestedSuite.play(runs, of: suite, seeds: seeds))
        }
        print(tested)
        var failures = kept
        failures.note(tested)
        if tested.contains(where: { !$0.suite.isUsable }) { throw ExitStatus.badConfiguration }
        if tested.contains(where: \.hasFailed) || tested.allSatisfy(\.outcomes.isEmpty) { throw ExitStatus.no }
    }

    /// A test file, and the lines that are meant of it; none for all.
    private struct Target {
        let file: ConfigFile
        var lines: [Int]
    }

    private func targets() throws -> [Target] {
        var targets: [Target] = []
        for path in paths.isEmpty ? [Self.testFile(beside: config.config)] : paths {
            let (path, line) = Self.place(path)
            for group in try ConfigPaths.groups(at: [path]) {
                let isFile = group.files.count == 1 && group.files[0].name == path
                for file in group.files where isFile || ScenarioSuite.isTestFile(file.name) {
                    if let index = targets.firstIndex(where: { $0.file.name == file.name }) {
                        targets[index].lines += targets[index].lines.isEmpty ? [] : [line].compactMap(\.self)
                    } else {
                        targets.append(Target(file: file, lines: [line].compactMap(\.self)))
                    }
                }
            }
        }
        return targets
    }

    /// `pipeline.test.yaml` beside `pipeline.yaml`.
    private static func testFile(beside config: String) -> String {
        for ending in [".yaml", ".yml"] where config.hasSuffix(ending) { return config.dropLast(ending.count) + ".test" + ending }
        return config + ".test.yaml"
    }

    /// The path and the line of `FILE:LINE`.
    private static func place(_ text: String) -> (path: String, line: Int?) {
        guard let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...]), line > 0 else { return (text, nil) }
        return (String(text[..<colon]), line)
    }

    private func print(_ tested: [TestedSuite]) {
        switch format {
        case .text: printText(tested)
        }
    }

    private func printText(_ tested: [TestedSuite]) {
        let options =
            (config.given.map { " -c \($0)" } ?? "") + (seed == 1 && count == 1 ? "" : " --seed ")
        for tested in tested {
            printProblems(of: tested.suite)
            for outcome in tested.outcomes {
                let seed = options.hasSuffix(" --seed ") ? options + "\(outcome.seed)" : options
                let printer = ScenarioPrinter(tested.suite, options: seed, hasColour: Console.output.hasColour)
                Console.output.write(printer.text(outcome))
            }
        }
        let outcomes = tested.flatMap(\.outcomes)
        let failed = outcomes.count { !$0.hasPassed }
        Console.output.writeLine("\(outcomes.count - failed) passed, \(failed) failed")
        if outcomes.isEmpty, tested.allSatisfy(\.suite.isUsable) {
            Console.say("no test was found", help: "`pipe-run test FILE` names a file")
        }
    }

    private func printProblems(of suite: ScenarioSuite) {
        let printer = ScenarioPrinter(suite, options: "", hasColour: Console.error.hasColour)
        for diagnostic in suite.diagnostics { Console.error.write(printer.text(diagnostic) + "\n") }
        guard let report = suite.report, report.diagnostics.hasErrors, let config = suite.config else { return }
        let configPrinter = DiagnosticPrinter(
            lines: config.lines, secretRanges: report.secretRanges, hasColour: Console.error.hasColour)
        for diagnostic in report.diagnostics where diagnostic.severity == .error {
            Console.error.write(configPrinter.text(diagnostic) + "\n")
        }
    }
}
