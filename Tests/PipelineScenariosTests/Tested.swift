import Pipeline
import PipelineConfig
import PipelineReports
import PipelineScenarios
import PipelineYAML
import SourcesCommand
import SourcesFile
import SourcesHTTP
import SourcesInline
import SourcesMemory
import SourcesPoll
import SourcesRedis
import SourcesSQLite
import SourcesSSE
import SourcesWatch
import SourcesWebSocket

/// Test files of the folder `Scenarios`, and what they come to.
enum Tested {
    static let plugins: [SourcePlugin] = [
        .memory, .file, .sqlite, .sqliteQuery, .outbox, .redis, .http, .command, .inline, .poll, .watch, .sse, .websocket,
    ]

    /// The folder of the test files.
    static let folder = String(#filePath.dropLast("Tested.swift".count)) + "Scenarios/"

    static func suite(_ name: String) -> ScenarioSuite {
        ScenarioSuite(ConfigFile(path: folder + name), plugins: plugins)
    }

    /// What the suite comes to with these seeds.
    static func play(_ suite: ScenarioSuite, seeds: ClosedRange<UInt64> = 1...1) async -> TestedSuite {
        await TestedSuite.play(suite.runs, of: suite, seeds: seeds)
    }

    /// The failures, and what is wrong with the files, as the command prints them.
    static func report(of tested: TestedSuite) -> String {
        let printer = ScenarioPrinter(tested.suite, options: "", hasColour: false)
        let problems = tested.suite.diagnostics.map { printer.text($0) }
        let config = tested.suite.report?.diagnostics.filter { $0.severity == .error }.map(\.message) ?? []
        return (problems + config + tested.outcomes.filter { !$0.hasPassed }.map { printer.text($0) }).joined(separator: "\n")
    }
}
