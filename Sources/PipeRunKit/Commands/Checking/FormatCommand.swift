internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios
internal import PipelineSimulation
internal import PipelineYAML

struct FormatCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "fmt",
        abstract: "Tidies the layout of configurations, their tests and models: spaces at the ends of lines, line breaks, empty lines.",
        discussion: """
            The meaning never changes, and every comment stays. A folder stands for the .yaml and .yml files below it. For `-` the \
            result is printed.
            """)

    @OptionGroup var given: PathOptions

    @Flag(help: "Write nothing; exit with 1 when something would change.")
    var check = false

    @Flag(help: "Write nothing; show what would change.")
    var diff = false

    func perform() async throws {
        var refused: ExitCode?
        var changes = 0
        for group in try ConfigPaths.groups(at: given.all, followingLinks: true) {
            if group.isEmpty {
                Console.say("there is no .yaml or .yml file below `\(group.path)`", help: "name the file itself when it has another ending")
                refused = ExitStatus.badConfiguration
            }
            for file in group.files {
                do throws(Refusal) {
                    if try format(file, isInput: group.path == "-") { changes += 1 }
                } catch {
                    Console.error.write(error.words)
                    refused = error.status
                }
            }
        }
        if let status = refused ?? (check && changes > 0 ? ExitStatus.no : nil) { throw status }
    }

    /// Ends with what is wrong with a file.
    private struct Refusal: Error {
        let words: String
        var status = ExitStatus.badConfiguration
    }

    /// Gives `file` its layout, and returns true if it had another one.
    private func format(_ file: ConfigFile, isInput: Bool) throws(Refusal) -> Bool {
        guard let formatted = FormattedFile(file) else { throw Refusal(words: refusal(of: file)) }
        let isChanged = formatted.file.text != file.text
        if check, isChanged { Console.error.writeLine("\(file.name): not formatted".printable) }
        if diff, isChanged { Console.output.write(text(of: formatted, from: file)) }
        guard !check, !diff else { return isChanged }
        if isInput {
            Console.output.write(formatted.file.text)
        } else if isChanged {
            do throws(ReplacedFile.Problem) {
                try ReplacedFile.replace(file, with: formatted.file.text)
            } catch {
                throw Refusal(
                    words: "pipe-run: cannot write `\(file.name)`: \(error.reason)".printable + "\n", status: ExitStatus.no)
            }
            Console.error.writeLine("\(file.name): formatted".printable)
        }
        return isChanged
    }

    private func text(of formatted: FormattedFile, from file: ConfigFile) -> String {
        let secrets = [file, formatted.file].map(secretRanges)
        return UnifiedDiff(
            old: file, new: formatted.file, origins: formatted.origins, secrets: secrets[0], newSecrets: secrets[1]
        ).text(hasColour: Console.output.hasColour)
    }

    private func secretRanges(of file: ConfigFile) -> [TextRange] {
        if SimulationModel.isModelFile(file.name) { return [] }
        return ScenarioSuite.isTestFile(file.name)
            ? ScenarioSuite(file, plugins: Program.plugins).secretRanges : file.report(plugins: Program.plugins).secretRanges
    }

    /// The reason why `file` has no layout: the problem that keeps it from being read.
    private func refusal(of file: ConfigFile) -> String {
        let report = file.report(plugins: Program.plugins, level: .syntax)
        let printer = DiagnosticPrinter(lines: file.lines, secretRanges: report.secretRanges, hasColour: Console.error.hasColour)
        let problems = report.diagnostics.map { printer.text($0) + "\n" }.joined()
        return problems.isEmpty ? "pipe-run: \(file.name) has nothing to format".printable + "\n" : problems
    }
}
