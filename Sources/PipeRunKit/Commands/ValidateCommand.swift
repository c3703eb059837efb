internal import ArgumentParser
internal import Pipeline
internal import PipelineYAML

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Finds every problem of configurations. Opens nothing but at the level `connect`.",
        discussion: """
            A folder stands for the .yaml and .yml files below it; `-` for standard input. The level `connect` opens each source for \
            reading, and says on standard error what became of it.
            """)

    @Argument(
        help: ArgumentHelp("Files or folders; ./pipeline.yaml unless given.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String] = []

    @Option(
        name: [.short, .long], help: "The configuration file, when none is given as an argument.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config = "pipeline.yaml"

    @Option(help: "How to print: text, json, sarif, github, junit.")
    var format = DiagnosticFormat.text

    @Option(help: "How far to look; each level includes those before it.")
    var level = Choice(ValidationLevel.env)

    @Flag(help: "Count warnings as errors.")
    var denyWarnings = false

    @OptionGroup var filter: FilterOptions

    func run() async throws {
        let filter = try filter.filter()
        var checks: [ConfigCheck] = []
        for path in paths.isEmpty ? [config] : paths {
            let files = try ConfigPaths.files(at: path)
            checks +=
                files.isEmpty ? [ConfigCheck(folderWithoutFiles: path)] : files.map { ConfigCheck($0, level: level.value, filter: filter) }
        }
        if level.value == .connect { checks = await checks.checkingSources() }
        if denyWarnings { checks = checks.map { $0.denyingWarnings() } }
        Console.error.write(SourceCheckPrinter.text(checks))
        switch format {
        case .text: printText(checks)
        case .json: Console.output.write(DiagnosticJSON.text(checks.flatMap(\.diagnostics)))
        case .sarif: Console.output.write(SARIFLog(checks).text)
        case .github: Console.output.write(WorkflowCommands.text(checks.flatMap(\.diagnostics)))
        case .junit: Console.output.write(JUnitReport.text(checks))
        }
        if checks.contains(where: \.diagnostics.hasErrors) { throw ExitStatus.no }
    }

    private func printText(_ checks: [ConfigCheck]) {
        for check in checks {
            let printer = check.printer(hasColour: Console.output.hasColour)
            for diagnostic in check.diagnostics { Console.output.write(printer.text(diagnostic) + "\n") }
            if check.diagnostics.isEmpty { Console.output.writeLine("\(check.file.name): no problems") }
        }
        let all = checks.flatMap(\.diagnostics)
        guard !all.isEmpty else { return }
        let errors = all.count { $0.severity == .error }
        Console.error.writeLine("\(counted(errors, "error")), \(counted(all.count - errors, "warning"))")
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
