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

            Exit codes: 0 all passed; 1 a test failed, or none was found; 2 a file cannot be used; 130 interrupted, after printing what there \
            is.
            """)

    @Argument(
        help: ArgumentHelp("Test files, `FILE:LINE`, or folders.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String] = []

    @OptionGroup var config: ConfigOptions

    @Option(
        help: "Run the tests whose name matches this regular expression.", completion: Suggestions.testName, transform: NamePattern.read)
    var filter: NamePattern?

    @Option(help: "Run the tests with this tag; may be repeated.", completion: Suggestions.tag)
    var tag: [String] = []

    @Flag(help: "Run the tests that failed last; all where none did.")
    var failed = false

    @Option(
        help: ArgumentHelp("Run each test in this order: a name, or sources with commas.", valueName: "a,b,c"),
        completion: Suggestions.order)
    var order: String?

    @Option(help: "The seed of what is random.")
    var seed: UInt64 = 1

    @Option(name: .customLong("repeat"), help: ArgumentHelp("Run each test with this many seeds.", valueName: "number"))
    var count = 1

    @Option(help: "The output format: text, json, junit, tap, github.")
    var format = TestFormat.text

    @Option(
        help: """
            Print what the tests reached of the configuration, and what their expectations depended on: text, json, lcov, html, github. With \
            json, lcov and html the results are on standard error.
            """)
    var coverage: CoverageFormat?

    @Flag(help: "Count what can happen in each order of a pipeline by itself. Without it, a point that several orders have counts once.")
    var byOrder = false

    @Option(
        help: ArgumentHelp("Exit with 1 when the asserted coverage is lower.", valueName: "80%"))
    var minCoverage: LeastShare?

    @Flag(help: "Change the configuration, one thing at a time, and print what no test notices, with the test that would.")
    var mutate = false

    @Option(help: ArgumentHelp("Exit with 1 when the mutation score is lower.", valueName: "80%"))
    var minScore: LeastShare?

    @Option(help: ArgumentHelp("Play this many random steps with faults, and print each broken rule of the engine.", valueName: "number"))
    var explore: Int?

    func validate() throws {
        if let explore, explore < 1 { throw ValidationError("--explore takes a number of at least 1") }
        if byOrder, coverage == nil, minCoverage == nil { throw ValidationError("--by-order needs --coverage or --min-coverage") }
        if minScore != nil, !mutate { throw ValidationError("--min-score needs --mutate") }
        if count < 1 { throw ValidationError("--repeat takes a number of at least 1") }
    }

    func perform() async throws {
        try checkThatTestsAreThere()
        let kept = FailedTests()
        var selection = TestSelection(pattern: filter, tags: tag, order: order)
        let suites = try targets().map { target in
            let suite = ScenarioSuite(target.file, config: config.given, plugins: Program.plugins, isForCI: format.isForCI)
            return (suite: suite, lines: target.lines)
        }
        func selected() throws -> [[ScenarioRun]] {
            try suites.map { suite, lines in
                selection.lines = lines
                return suite.isUsable ? try selection.runs(of: suite) : []
            }
        }
        var runs = try selected()
        if failed {
            selection.failed = kept
            let again = try selected()
            if !again.allSatisfy(\.isEmpty) { runs = again }
        }
        let planned = zip(suites, runs).map { (suite: $0.suite, runs: $1) }
        let reason = runs.allSatisfy(\.isEmpty) ? selection.reason(in: suites) : nil
        let run = TestRun(self)
        switch await Interruption.watching(nil, { await run.play(planned, reason: reason, noting: kept) }) {
        case .finished(nil): break
        case .finished(let status?), .interrupted(let status): throw status
        }
    }

    /// Ends with 1 where no file is named and there is none beside the configuration: no test is no success, and no mistake of a file.
    private func checkThatTestsAreThere() throws {
        let path = ScenarioSuite.testPath(of: config.config)
        guard paths.isEmpty, !ConfigPaths.exists(path) else { return }
        // A configuration that cannot be used is the greater problem.
        _ = try config.drawableReport(upTo: .graph)
        TestRun(self).print([])
        Console.say(
            "no test file was found beside `\(config.config)`: looked for `\(path)`",
            help: "`pipe-run init --tests` writes a first test file")
        throw ExitStatus.no
    }

    /// A test file, and the lines that are meant of it; none for all.
    private struct Target {
        let file: ConfigFile
        var lines: [Int]
    }

    private func targets() throws -> [Target] {
        var targets: [Target] = []
        for path in paths.isEmpty ? [ScenarioSuite.testPath(of: config.config)] : paths {
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

    /// The path and the line of `FILE:LINE`, and of `FILE:LINE:COLUMN`, as failures print it.
    private static func place(_ text: String) -> (path: String, line: Int?) {
        guard let last = numbered(text) else { return (text, nil) }
        let place = numbered(last.path) ?? last
        return (place.path, place.number)
    }

    /// The texts before and after the last colon; nil if no number stands after it.
    private static func numbered(_ text: String) -> (path: String, number: Int)? {
        guard let colon = text.lastIndex(of: ":"), let number = Int(text[text.index(after: colon)...]), number > 0 else { return nil }
        return (String(text[..<colon]), number)
    }
}

/// A format in which `test` prints its results.
enum TestFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case junit
    case tap
    case github

    /// Indicates whether a program reads the results, as in CI: a test that keeps others from running is a mistake there.
    var isForCI: Bool { self != .text }
}

/// A format in which `test` prints its coverage.
enum CoverageFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case lcov
    case html
    case github

    /// Indicates whether the format is a document, beside which nothing else can stand on standard output.
    var isDocument: Bool { [.json, .lcov, .html].contains(self) }
}
