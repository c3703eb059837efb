internal import ArgumentParser
internal import Pipeline
internal import PipelineYAML

/// The file that a command works with.
struct ConfigOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config = "pipeline.yaml"

    /// The file's report. With errors in it, prints them and exits with 2.
    func report(level: ValidationLevel = .env) throws -> ConfigReport {
        let file = ConfigFile(path: config)
        let report = file.report(plugins: PipeRun.plugins, level: level)
        guard report.diagnostics.hasErrors else { return report }
        let printer = DiagnosticPrinter(lines: file.lines, secretRanges: report.secretRanges, hasColour: Console.error.hasColour)
        Console.error.write(report.diagnostics.filter { $0.severity == .error }.map(printer.text).joined(separator: "\n"))
        throw ExitStatus.badConfiguration
    }

    /// The pipelines of the file, built, with the observers that are made for their plan.
    func pipelines(observing observers: (Plan) -> [PipelineEvent.Observer] = { _ in [] }) throws -> Pipelines {
        let report = try report()
        do {
            return try Pipelines(report, observers: observers(report.plan))
        } catch {
            Console.say(Redactor(report.secrets).redacted("\(error)"))
            throw ExitStatus.badConfiguration
        }
    }
}
