internal import Pipeline
package import PipelineConfig
package import PipelineYAML

/// A test file with the configuration that it tests: read, checked, and not run yet.
package struct ScenarioSuite: Sendable {
    /// The test file.
    package let file: ConfigFile
    /// The file as it is written; nil if it could not be read.
    package let document: ScenarioDocument?
    /// The configuration; nil if the test file could not be read.
    package let config: ConfigFile?
    /// The report on the configuration.
    package let report: ConfigReport?
    /// The problems of the test file.
    package let diagnostics: [Diagnostic]
    /// The bytes of the files that tests name.
    let fixtures: [String: [UInt8]]
    /// The ways in which the caches that tests stand in for are read.
    let styles: [String: ReadStyle]

    /// The ending of the names of test files, without the ending of the format.
    private static let ending = ".test"

    /// Indicates whether a file of this name is a test file.
    package static func isTestFile(_ name: String) -> Bool { configPath(of: name) != nil }

    /// The configuration beside a test file: `pipeline.yaml` for `pipeline.test.yaml`; nil for a name of another form.
    package static func configPath(of name: String) -> String? {
        for format in [".yaml", ".yml"] where name.hasSuffix(ending + format) {
            return String(name.dropLast(ending.count + format.count)) + format
        }
        return nil
    }

    /// Reads `file`, its configuration and its fixtures, and nothing else.
    ///
    /// - Parameters:
    ///   - config: the configuration; nil for the one that the file names, or the one beside it.
    ///   - isForCI: whether the tests run without a person watching, as in CI.
    package init(_ file: ConfigFile, config given: String? = nil, plugins: [SourcePlugin], isForCI: Bool = false) {
        self.file = file
        let (root, syntax, _) = file.document()
        let decoder = FieldDecoder(
            file: file.name, folder: file.folder, environment: ConfigEnvironment([:]), unknownName: .unknownInTest)
        let document = syntax.hasErrors ? nil : Self.decode(root, with: decoder)
        self.document = document
        guard let document else {
            (config, report, fixtures, styles) = (nil, nil, [:], [:])
            diagnostics = (syntax + decoder.problems.diagnostics).inReadingOrder()
            return
        }
        let path = given ?? document.config.map { Self.path($0.value, from: file.folder) } ?? Self.configPath(of: file.name)
        let config = path.map { ConfigFile(path: $0) }
        self.config = config
        let variables = Dictionary(document.environment.members.map { ($0.name, $0.value.text) }) { $1 }
        let report = config?.report(plugins: plugins, environment: Self.environment(variables)).allowingLacks()
        self.report = report
        if config == nil {
            decoder.report(
                .missingField, "the test file needs `config`", range: .beginning,
                help: "name the configuration, or call the file `NAME.test.yaml` beside `NAME.yaml`")
        }
        if let report, !report.diagnostics.hasErrors {
            ScenarioRules(document: document, plan: report.plan, decoder: decoder, isForCI: isForCI).check()
            styles = Self.styles(of: report.plan)
        } else {
            styles = [:]
        }
        fixtures = Self.fixtures(of: document, from: file.folder, with: decoder)
        diagnostics = (syntax + decoder.problems.diagnostics).map { report?.redactor.redacting($0) ?? $0 }.inReadingOrder()
    }

    private init(_ suite: ScenarioSuite, over report: ConfigReport) {
        (file, document, config, diagnostics) = (suite.file, suite.document, suite.config, suite.diagnostics)
        (fixtures, styles) = (suite.fixtures, suite.styles)
        self.report = report
    }

    /// These tests for another configuration, such as one with a rule changed.
    package func testing(_ report: ConfigReport) -> ScenarioSuite { ScenarioSuite(self, over: report) }

    /// The places of secrets in the test file.
    package var secretRanges: [TextRange] {
        let secrets = (report?.secrets ?? []).filter { !$0.isEmpty }
        guard !secrets.isEmpty else { return [] }
        return (1...max(1, file.lines.count)).flatMap { number in
            let line = file.lines[number]
            return secrets.flatMap { Self.places(of: $0, in: line, number) }
        }
    }

    /// The places of `secret` in a line, found in one walk: it may stand there very often.
    private static func places(of secret: String, in line: String, _ number: Int) -> [TextRange] {
        var (index, column) = (line.startIndex, 1)
        return line.ranges(of: secret).map { range in
            let start = column + line.unicodeScalars.distance(from: index, to: range.lowerBound)
            (index, column) = (range.upperBound, start + line.unicodeScalars.distance(from: range.lowerBound, to: range.upperBound))
            return TextRange(TextPosition(line: number, column: start), TextPosition(line: number, column: column))
        }
    }

    /// Indicates whether the test file could be read as YAML.
    package var hasDocument: Bool { !diagnostics.contains { $0.severity == .error && $0.code.level == .syntax } }

    /// Indicates whether its tests can run.
    package var isUsable: Bool {
        document != nil && report.map { !$0.diagnostics.hasErrors } ?? false && !diagnostics.hasErrors
    }

    private static func decode(_ root: ConfigNode?, with decoder: FieldDecoder) -> ScenarioDocument? {
        decoder.fieldName = "the test file"
        guard let root, !root.isNull else {
            decoder.report(.missingField, "the test file is empty: it needs `tests`", range: .beginning, help: "begin with `tests:`")
            return nil
        }
        let names = Set(root.target.members.map(\.key))
        if names.contains("pipelines"), !names.contains("tests") {
            decoder.report(
                .missingField, "`\(decoder.file)` is a configuration, and has no `tests`", range: .beginning,
                help: "`pipe-run test -c \(decoder.file)` runs its tests")
            return nil
        }
        return ScenarioDocument.decode(root, with: decoder)
    }

    /// The environment that a configuration has while it is tested: these variables, and the files that it names.
    package static func environment(_ variables: [String: String]) -> ConfigEnvironment {
        let files = ConfigEnvironment.process
        return ConfigEnvironment(variable: { variables[$0] }, file: files.file, problem: { _ in nil })
    }

    private static func path(_ path: String, from folder: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : folder == "/" ? "/" + path : folder + "/" + path
    }

    /// The way in which each cache of `plan` is read, by the sources that its plugins make. Nothing is opened.
    private static func styles(of plan: Plan) -> [String: ReadStyle] {
        let clock = PipelineClock.system
        return plan.sources.reduce(into: [:]) { styles, source in
            guard source.isWritable == true, !source.isReal else { return }
            styles[source.name] = (try? source.spec(SourceContext(name: source.name, clock: clock)))?.source.style
        }
    }

    private static func fixtures(of document: ScenarioDocument, from folder: String, with decoder: FieldDecoder) -> [String: [UInt8]] {
        document.files.reduce(into: [:]) { fixtures, file in
            guard fixtures[file.value] == nil else { return }
            switch FileReader.read(path(file.value, from: folder), limit: 64 << 20) {
            case .success(let bytes): fixtures[file.value] = bytes
            case .failure(.tooLarge):
                decoder.report(.overLimit, "`\(file.value.shortened)` is larger than 64MiB", range: file.range)
            case .failure(.failed(let reason)):
                decoder.report(
                    .fileMissing, "cannot read the file `\(file.value.shortened)`: \(reason)", range: file.range,
                    help: "paths are relative to the folder of `\(decoder.file)`")
            }
        }
    }
}

extension ScenarioSuite {
    /// Every run of its tests: each in each of its orders, in the order of the file. With a test that says `only`, those alone.
    package var runs: [ScenarioRun] {
        guard let document else { return [] }
        let tests = document.tests.contains { $0.only?.value == true } ? document.tests.filter { $0.only?.value == true } : document.tests
        return tests.flatMap { test -> [ScenarioRun] in
            if test.orders.isEmpty { return [ScenarioRun(scenario: test, order: nil)] }
            return test.orders.compactMap { order(named: $0.value) }.map { ScenarioRun(scenario: test, order: $0) }
        }
    }

    /// The orders of the file.
    package var orderNames: [String] { document?.orders.members.map(\.name) ?? [] }

    /// The names that an order of any of its tests may have in it.
    package var sourceNames: [String] {
        guard let plan = report?.plan else { return [] }
        let composites = plan.pipelines.flatMap(\.tiers).map(\.source).filter(\.isComposite).map(\.name)
        return plan.sources.filter { $0.tellsOfChanges != true }.map(\.name) + Set(composites).sorted()
    }

    /// The order of this name in the file.
    package func order(named name: String) -> ScenarioOrder? {
        document?.orders[name].map { ScenarioOrder(name: name, sources: $0.map(\.value)) }
    }

    /// The events of its world that a test may have: tasks that wake. What asks each second has so many in 11 days.
    package static let mostEvents = 1_000_000

    /// Plays a run of a test that is usable, on a loop of its own thread; nil if it cannot be played, or the loop is cancelled before its
    /// end.
    package func play(_ run: ScenarioRun, seed: UInt64, atMost events: Int = mostEvents, on loop: JobLoop) -> ScenarioOutcome? {
        guard let document, let report, let pipeline = ScenarioRules.pipeline(of: run.scenario, in: document, report.plan) else {
            return nil
        }
        let play = ScenarioPlay(
            self, run, document: document, report: report, pipeline: pipeline, seed: seed, mostEvents: events, loop: loop)
        let outcome = play.outcome()
        return loop.isCancelled ? nil : outcome
    }
}

extension ScenarioSuite {
    /// Indicates whether a test, as it stands in a list of tests, can be used with the configuration, and fails.
    func fails(_ test: String, on loop: JobLoop) -> Bool {
        let written = ConfigFile(text: Array("tests:\n\(test)".utf8), name: file.name, folder: file.folder)
        let decoder = FieldDecoder(
            file: file.name, folder: file.folder, environment: ConfigEnvironment([:]), unknownName: .unknownInTest)
        let (root, syntax, _) = written.document()
        guard let report, !syntax.hasErrors, let document = Self.decode(root, with: decoder) else { return false }
        ScenarioRules(document: document, plan: report.plan, decoder: decoder, isForCI: false).check()
        guard !decoder.problems.diagnostics.hasErrors, let scenario = document.tests.first else { return false }
        return play(ScenarioRun(scenario: scenario, order: nil), seed: 1, on: loop)?.hasPassed == false
    }
}

/// A test in one order.
package struct ScenarioRun: Sendable {
    package let scenario: Scenario
    /// The order of the run; nil for the order of the pipeline.
    package let order: ScenarioOrder?

    package init(scenario: Scenario, order: ScenarioOrder?) {
        (self.scenario, self.order) = (scenario, order)
    }
}

extension ScenarioDocument {
    /// The files that answers name.
    fileprivate var files: [Placed<String>] {
        let scripts = tests.flatMap { test in
            [test.given]
                + test.steps.compactMap { step -> NamedValues<SourceScript>? in
                    if case .set(let scripts) = step.action { scripts } else { nil }
                }
        }
        return scripts.flatMap(\.members).flatMap(\.value.answers).compactMap { if case .file(let path) = $0.content { path } else { nil } }
    }
}

extension Redactor {
    /// The diagnostic with its words masked.
    fileprivate func redacting(_ diagnostic: Diagnostic) -> Diagnostic { diagnostic.masked(redacted) }
}

/// An order of sources in which a test runs.
package struct ScenarioOrder: Sendable, Hashable {
    /// The name of the order in the file; nil for one that only the command names.
    package let name: String?
    package let sources: [String]

    package init(name: String?, sources: [String]) {
        (self.name, self.sources) = (name, sources)
    }

    /// The name, or the sources with commas.
    package var title: String { name ?? sources.joined(separator: ",") }
}

extension ScenarioSuite {
    /// The test file beside a configuration: `pipeline.test.yaml` for `pipeline.yaml`.
    package static func testPath(of config: String) -> String {
        for ending in [".yaml", ".yml"] where config.hasSuffix(ending) { return config.dropLast(ending.count) + ".test" + ending }
        return config + ".test.yaml"
    }
}

extension ConfigFile {
    /// `two/p.yaml` for `two/tests/../p.yaml`.
    private var plainName: String { LexicalPath.normalized(name) }

    /// The file under its plain name, where a test file led to it by way of `..`.
    var plainlyNamed: ConfigFile {
        guard name.split(separator: "/").contains("..") else { return self }
        return ConfigFile(text: text, name: plainName, folder: folder)
    }

    /// Indicates whether another path leads to the same configuration. Where links lead elsewhere, the texts differ.
    package func isSame(as other: ConfigFile) -> Bool { plainName == other.plainName && text == other.text }
}
