internal import Pipeline
package import PipelineConfig
internal import PipelineScenarios
internal import PipelineSimulation
package import PipelineYAML

/// One file with what was found in it.
package struct ConfigCheck {
    package let file: ConfigFile
    package private(set) var diagnostics: [Diagnostic]
    let secretRanges: [TextRange]
    /// The answers of the sources, if they were asked.
    package private(set) var sources: [SourceCheck] = []
    private let report: ConfigReport?
    private let filter: DiagnosticFilter?
    /// The diagnostic that the configuration of a test file has errors.
    private var configProblem: (config: String, diagnostic: Diagnostic)?

    package init(_ file: ConfigFile, plugins: [SourcePlugin], level: ValidationLevel, filter: DiagnosticFilter) {
        let report = file.report(plugins: plugins, level: level)
        self.file = file
        self.report = report
        self.filter = filter
        diagnostics = filter.filtered(report.diagnostics)
        secretRanges = report.secretRanges
    }

    /// A test file, checked against its configuration.
    ///
    /// - Parameter isForCI: whether a test that keeps the others from running is a mistake.
    package init(tests file: ConfigFile, plugins: [SourcePlugin], level: ValidationLevel, filter: DiagnosticFilter, isForCI: Bool) {
        let suite = ScenarioSuite(file, plugins: plugins, isForCI: isForCI)
        configProblem = suite.config.flatMap { config in suite.configProblem(level: level).map { (config.name, $0) } }
        let problems = suite.diagnostics + [configProblem?.diagnostic].compactMap(\.self)
        self.file = file
        report = nil
        self.filter = filter
        diagnostics = filter.filtered(problems.filter { $0.code.level <= level }.inReadingOrder())
        secretRanges = suite.secretRanges
    }

    /// A model of `simulate`, checked against its configuration.
    package init(model file: ConfigFile, plugins: [SourcePlugin], level: ValidationLevel, filter: DiagnosticFilter) {
        self.file = file
        report = nil
        self.filter = filter
        diagnostics = filter.filtered(SimulationModel.check(file, plugins: plugins).filter { $0.code.level <= level })
        secretRanges = []
    }

    /// The check of a folder without configurations, which is most likely a mistake.
    ///
    /// - Parameter hasOthers: whether there are other files of YAML.
    package init(folderWithoutFiles path: String, hasOthers: Bool) {
        file = ConfigFile(text: [], name: path)
        report = nil
        filter = nil
        diagnostics = [
            Diagnostic(
                .unreadable,
                hasOthers
                    ? "no .yaml or .yml file below `\(path)` has `sources` or `pipelines`"
                    : "there is no .yaml or .yml file below `\(path)`", file: path, range: .beginning,
                help: hasOthers ? "name the file itself" : "name the file itself when it has another ending")
        ]
        secretRanges = []
    }

    /// This check with the answers of the file's sources.
    package func checkSources() async -> ConfigCheck {
        guard let report else { return self }
        var check = self
        check.sources = await report.checkSources()
        let found = check.sources.compactMap(\.diagnostic)
        check.diagnostics = (diagnostics + (filter?.filtered(found) ?? found)).inReadingOrder()
        return check
    }

    /// This check without the problem that the configuration of these tests has errors, if that is told of the configuration itself.
    fileprivate func withoutProblem(ofConfig isTold: (String) -> Bool) -> ConfigCheck {
        guard let configProblem, isTold(configProblem.config) else { return self }
        var check = self
        check.diagnostics = diagnostics.filter { $0 != configProblem.diagnostic }
        return check
    }

    /// This check with every warning counted as an error.
    package func denyingWarnings() -> ConfigCheck {
        var check = self
        check.diagnostics = diagnostics.map { $0.severity == .warning ? $0.asError : $0 }
        return check
    }

    /// The printer of the problems of this file.
    package func printer(hasColour: Bool) -> DiagnosticPrinter {
        DiagnosticPrinter(lines: file.lines, secretRanges: secretRanges, hasColour: hasColour)
    }
}

extension ScenarioSuite {
    /// The diagnostic that the configuration has errors up to `level`, so that the tests cannot be checked against it; nil if it has none.
    fileprivate func configProblem(level: ValidationLevel) -> Diagnostic? {
        guard let config, let errors = report?.diagnostics.filter({ $0.severity == .error && $0.code.level <= level }), !errors.isEmpty
        else {
            return nil
        }
        let range = document?.config?.range ?? .beginning
        if let error = errors.first(where: { $0.code == .unreadable && $0.file == config.name }) {
            let help = "name the configuration with `config:`, or call this file `NAME.test.yaml` beside `NAME.yaml`"
            return Diagnostic(.unreadable, error.message, file: file.name, range: range, help: help)
        }
        let count = errors.count == 1 ? "an error" : "\(errors.count) errors"
        return Diagnostic(
            .unreadable, "the configuration `\(config.name)` cannot be tested: it has \(count)", file: file.name, range: range,
            help: "`pipe-run validate \(config.name)` shows what is wrong")
    }
}

extension Sequence where Element == ConfigCheck {
    /// The checks without what test files say of a configuration that is among them, with its own errors.
    ///
    /// - Parameter identity: is the same for each spelling of a path.
    package func withoutRepeatedProblems(_ identity: (String) -> String) -> [ConfigCheck] {
        let broken = Set(filter(\.diagnostics.hasErrors).map { identity($0.file.name) })
        return map { $0.withoutProblem { broken.contains(identity($0)) } }
    }

    /// The checks with the answers of all files' sources, asked at the same time.
    package func checkSources() async -> [ConfigCheck] {
        await withTaskGroup(of: (Int, ConfigCheck).self) { group in
            for (index, check) in enumerated() { group.addTask { (index, await check.checkSources()) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
