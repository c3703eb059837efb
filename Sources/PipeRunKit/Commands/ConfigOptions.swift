internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineYAML

/// The file that a command works with.
struct ConfigOptions: ParsableArguments {
    /// The variable that names the file where no option does.
    static let variable = "PIPE_RUN_CONFIG"

    /// The file that the variable names; nil when it is not set, or empty.
    static var namedByVariable: String? {
        ConfigEnvironment.process.variable(variable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The file that is used where no option names one.
    static var unnamed: String { namedByVariable ?? "pipeline.yaml" }

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("config")],
        help: ArgumentHelp(
            "The configuration file; `-` for standard input. Default: $PIPE_RUN_CONFIG, else pipeline.yaml.", valueName: "config"),
        completion: .file(extensions: ["yaml", "yml"]))
    var given: String?

    /// The path of the file; `-` for standard input.
    var config: String { given ?? Self.unnamed }

    /// The file's report. With errors in it, prints them and exits with 2.
    func report(level: ValidationLevel = .env) throws -> ConfigReport {
        try Self.report(of: ConfigPaths.file(at: config), level: level)
    }

    /// The report of `file`. With errors in it that are not tolerated, prints them and exits with 2.
    ///
    /// - Parameter mayLack: whether a variable or a file that this source needs may be missing: the source then fails when it is asked.
    static func report(
        of file: ConfigFile, environment: ConfigEnvironment = .process, level: ValidationLevel = .env,
        mayLack: (_ source: String) -> Bool = { _ in false },
        tolerating isTolerated: (Diagnostic, ConfigReport) -> Bool = { _, _ in false }
    ) throws -> ConfigReport {
        let report = file.report(plugins: PipeRun.plugins, environment: environment, level: level).allowingLacks(of: mayLack)
        try check(report, of: file, tolerating: isTolerated)
        return report
    }

    /// With errors in `report` that are not tolerated, prints them and exits with 2.
    static func check(
        _ report: ConfigReport, of file: ConfigFile, tolerating isTolerated: (Diagnostic, ConfigReport) -> Bool = { _, _ in false }
    ) throws {
        Console.mask(by: report.redactor)
        let errors = report.diagnostics.filter { $0.severity == .error && !isTolerated($0, report) }
        guard !errors.isEmpty else { return }
        Console.show(errors, in: file.lines, hiding: report.secretRanges)
        throw ExitStatus.badConfiguration
    }

    /// The report for a drawing, which can be made although variables are not set. With other errors, prints them and exits with 2.
    func drawableReport(upTo level: ValidationLevel) throws -> ConfigReport {
        try Self.drawableReport(of: ConfigPaths.file(at: config), upTo: level)
    }

    static func drawableReport(of file: ConfigFile, upTo level: ValidationLevel) throws -> ConfigReport {
        try report(of: file, level: max(level, .graph), tolerating: { diagnostic, _ in diagnostic.code.level > .graph })
    }

    /// The pipelines of the file, built, with the observers that are made for them.
    ///
    /// - Parameters:
    ///   - mayLack: whether a variable or a file that this source needs may be missing.
    ///   - swaps: sources that others take the place of.
    func pipelines(
        mayLack: (_ source: String) -> Bool = { _ in false }, swapping swaps: SourceSwaps = .none,
        observing observers: (ConfigReport) -> [PipelineEvent.Observer] = { _ in [] }
    ) throws -> Pipelines {
        let report = try Self.report(of: ConfigPaths.file(at: config), mayLack: mayLack)
        return try Self.pipelines(of: report, swapping: swaps, observing: observers)
    }

    /// The pipelines of `report`, built in the same way; of `part` alone if it is given.
    static func pipelines(
        of report: ConfigReport, only part: Plan? = nil, swapping swaps: SourceSwaps,
        observing observers: (ConfigReport) -> [PipelineEvent.Observer] = { _ in [] }
    ) throws -> Pipelines {
        do {
            return try SwapOptions.checking { try Pipelines(report, only: part, swapping: swaps, observers: observers(report)) }
        } catch let error as ExitCode {
            throw error
        } catch {
            Console.say(error, masking: report.redactor)
            throw ExitStatus.badConfiguration
        }
    }
}
