internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios
internal import PipelineSimulation
internal import PipelineYAML
private import Synchronization

struct ValidateCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "validate",
        abstract: "Finds every problem in configurations, their tests and models. Opens sources only at the level `connect`.",
        discussion: """
            A folder stands for the .yaml and .yml files below it that have `sources` or `pipelines`; `-` for standard input. The level `connect` opens each source for \
            reading and reports the result on standard error. Files whose names end in .test.yaml are scenario tests, \
            those in .sim.yaml models for `simulate`.

            `--fix` corrects what has only one meaning: misspelled names of fields, types and sources, braces that need quotes, \
            deprecated fields. Everything else stays byte for byte, and so do tests. For `-` it prints the corrected text.
            """)

    /// The checks that were printed, kept until the process ends: to take a large report apart piece by piece takes longer than to print
    /// it.
    private static let printed = Mutex<[ConfigCheck]>([])

    /// The number of skipped files that are named.
    private static let mostNames = 8

    @OptionGroup var given: PathOptions

    @Option(help: "The output format: text, json, sarif, github, junit.")
    var format = DiagnosticFormat.text

    @Option(help: "How much to check; each level includes those before it.")
    var level = Choice(ValidationLevel.env)

    @Flag(help: "Count warnings as errors.")
    var denyWarnings = false

    @Flag(help: "Apply safe fixes, then report what is left.")
    var fix = false

    @Flag(help: "With --fix: show what would change, and write nothing.")
    var diff = false

    @OptionGroup var filter: FilterOptions

    func validate() throws {
        if diff, !fix { throw ValidationError("`--diff` shows what `--fix` would change: give both") }
        if fix, given.paths.contains("-"), format != .text {
            throw ValidationError("`--fix` prints the corrected text of `-` in place of the report: leave out `--format`")
        }
    }

    func perform() async throws {
        let filter = try filter.filter()
        var checks: [ConfigCheck] = []
        var fixer = FileFixer(level: level.value, onlyShows: diff)
        for group in try ConfigPaths.groups(at: given.all) {
            let ours = group.isFolder ? ours(of: group) : group.files
            let files = fix ? ours.map { fixer.fix($0, isInput: group.path == "-") } : ours
            checks +=
                ours.isEmpty
                ? [ConfigCheck(folderWithoutFiles: group.path, hasOthers: !group.isEmpty)]
                : files.map { check($0, filter) }
        }
        checks = checks.withoutRepeatedProblems { ConfigPaths.absolute($0) }
        if level.value == .connect { checks = await checks.checkSources() }
        if denyWarnings { checks = checks.map { $0.denyingWarnings() } }
        Console.error.write(SourceCheckPrinter.text(checks))
        print(checks)
        Self.printed.withLock { $0 = checks }
        if fixer.hasFailed || (diff && fixer.count > 0) || checks.contains(where: \.diagnostics.hasErrors) { throw ExitStatus.no }
    }

    /// The files of a folder without the YAML of other programs, of which a note tells.
    private func ours(of group: ConfigPaths.Group) -> [ConfigFile] {
        let (ours, others) = group.files.reduce(into: ([ConfigFile](), [ConfigFile]())) { lists, file in
            if isNamedAsOurs(file.name) || !file.isForeign { lists.0.append(file) } else { lists.1.append(file) }
        }
        guard !others.isEmpty, !ours.isEmpty else { return ours }
        let names = others.prefix(Self.mostNames).map { "`\($0.name)`" } + (others.count > Self.mostNames ? ["…"] : [])
        Console.error.writeLine(
            "note: skipped \(counted(others.count, "file")) without `sources` and `pipelines`: \(names.joined(separator: ", "))".printable)
        return ours
    }

    /// Indicates whether a file is one of ours by its name, whatever stands in it.
    private func isNamedAsOurs(_ path: String) -> Bool {
        let words = path.split(separator: "/").last?.split(separator: ".") ?? []
        return SimulationModel.isModelFile(path) || ScenarioSuite.isTestFile(path) || words.dropLast().last == "pipeline"
    }

    private func check(_ file: ConfigFile, _ filter: DiagnosticFilter) -> ConfigCheck {
        if SimulationModel.isModelFile(file.name) {
            return ConfigCheck(model: file, plugins: Program.plugins, level: level.value, filter: filter)
        }
        guard ScenarioSuite.isTestFile(file.name) else {
            return ConfigCheck(file, plugins: Program.plugins, level: level.value, filter: filter)
        }
        return ConfigCheck(tests: file, plugins: Program.plugins, level: level.value, filter: filter, isForCI: format != .text)
    }

    private func print(_ checks: [ConfigCheck]) {
        switch format {
        // Standard output has nothing but the corrected text.
        case _ where diff: printSummary(checks)
        case .text: printText(checks, on: fix && given.paths.contains("-") ? .error : .output)
        case .json: Console.output.write(DiagnosticJSON.text(checks.flatMap(\.diagnostics)))
        case .sarif: Console.output.write(SARIFLog(checks, version: Program.version).text)
        case .github: Console.output.write(WorkflowCommands.text(checks.flatMap(\.diagnostics)))
        case .junit: Console.output.write(JUnitReport.text(checks))
        }
    }

    private func printText(_ checks: [ConfigCheck], on console: Console) {
        for check in checks {
            let printer = check.printer(hasColour: console.hasColour)
            for diagnostic in check.diagnostics { console.show(printer.text(diagnostic) + "\n") }
            if check.diagnostics.isEmpty { console.writeLine("\(check.file.name): no problems") }
        }
        printSummary(checks)
    }

    private func printSummary(_ checks: [ConfigCheck]) {
        let all = checks.flatMap(\.diagnostics)
        guard !all.isEmpty else { return }
        let (errors, notes) = (all.count { $0.severity == .error }, all.count { $0.severity == .note })
        let counts = [counted(errors, "error"), counted(all.count - errors - notes, "warning")]
        Console.error.writeLine((counts + (notes == 0 ? [] : [counted(notes, "note")])).joined(separator: ", "))
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// A format in which `validate` prints.
enum DiagnosticFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case sarif
    case github
    case junit
}

/// The options for warnings that are not reported, and for those that count as errors.
struct FilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Do not report these warnings, such as P302,P203; may be repeated.", valueName: "code"),
        completion: Suggestions.warning)
    var allow: [String] = []

    @Option(
        help: ArgumentHelp("Count these warnings as errors, such as P302,P203; may be repeated.", valueName: "code"),
        completion: Suggestions.warning)
    var deny: [String] = []

    func filter() throws -> DiagnosticFilter {
        let (allowed, denied) = (Set(try allow.flatMap(CodeArgument.codes)), Set(try deny.flatMap(CodeArgument.codes)))
        do throws(DiagnosticFilter.Problem) {
            return try DiagnosticFilter(allowed: allowed, denied: denied)
        } catch {
            switch error {
            case .allowedError(let code):
                throw Usage.failure("`\(code.rawValue)` is an error, and only warnings can be allowed", help: nil)
            case .deniedError(let code):
                throw Usage.failure("`\(code.rawValue)` is already an error, and only warnings can be denied", help: "leave it out")
            case .contradiction(let code): throw Usage.failure("`\(code.rawValue)` is allowed and denied", help: "remove one of the two")
            }
        }
    }
}

/// The results of the sources that were asked, one line each, for people.
enum SourceCheckPrinter {
    static func text(_ checks: [ConfigCheck]) -> String {
        checks.flatMap { check in
            check.sources.map { ((checks.count > 1 ? "\(check.file.name): " : "") + line($0)).printable + "\n" }
        }.joined()
    }

    /// `api: reachable, 12.3 ms`
    private static func line(_ check: SourceCheck) -> String {
        switch check.outcome {
        case .reachable: "\(check.source): reachable, \(TracePrinter.milliseconds(check.duration))"
        case .limited(let reason): "\(check.source): reachable, \(TracePrinter.milliseconds(check.duration)), but \(reason)"
        case .untried(let reason): "\(check.source): not tried: \(reason)"
        case .cannotConnect(let reason): "\(check.source): \(reason), \(TracePrinter.milliseconds(check.duration))"
        case .refused(let reason): "\(check.source): refused: \(reason), \(TracePrinter.milliseconds(check.duration))"
        }
    }
}
