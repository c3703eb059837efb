import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesCommand
import SourcesInline
import SourcesRedis
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// A file with a slip of the pen, and what `validate` says of it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    /// As the table has it.
    let said: String

    private var plugins: [SourcePlugin] { Reading.plugins(for: text) + [.redis, .inline, .command] }
    private static let environment = ConfigEnvironment(
        variable: { ["HOME": "/home/me"][$0] ?? Reading.variables[$0] }, file: Reading.environment.file,
        problem: Reading.environment.problem)

    private var file: ConfigFile { ConfigFile(text: Array(text.utf8), name: "pipeline.yaml") }

    var report: ConfigReport { file.report(plugins: plugins, environment: Self.environment) }

    /// What `validate` prints today.
    var printed: String {
        let (file, report) = (file, report)
        let printer = DiagnosticPrinter(lines: file.lines, secretRanges: report.secretRanges, hasColour: false)
        return report.diagnostics.map(printer.text).joined(separator: "\n")
    }

    var testDescription: String { name }
}
