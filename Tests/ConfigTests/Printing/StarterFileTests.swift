import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// The starter file is sound whatever the order of its sources.
@Suite struct StarterFileTests {
    private static let plugins = Reading.allPlugins

    private static func problems(_ chosen: [SourcePlugin]) -> [String] {
        let text = StarterFile(StarterFile.filled(chosen, from: plugins)).text
        return Reading.report(text, plugins: plugins, environment: ConfigEnvironment([:])).diagnostics.map {
            "\(chosen.map(\.name)): \($0.code.rawValue) \($0.message)"
        }
    }

    @Test func `every single type, every pair and every triple validates without a warning`() {
        for first in Self.plugins {
            #expect(Self.problems([first]) == [])
            for second in Self.plugins {
                #expect(Self.problems([first, second]) == [])
                for third in Self.plugins { #expect(Self.problems([first, second, third]) == []) }
            }
        }
    }

    @Test(arguments: [["memory", "file", "http"], ["memory", "http"], ["http", "sqlite_query"]])
    func `a batch that is no longer commented out is sound`(_ types: [String]) {
        let chosen = types.compactMap { name in Self.plugins.first { $0.name == name } }
        let text = StarterFile(StarterFile.filled(chosen, from: Self.plugins)).text
        let used = text.replacing("    # batch:", with: "    batch:")

        let report = Reading.report(used, plugins: Self.plugins, environment: ConfigEnvironment([:]))

        #expect(used != text)
        #expect(report.diagnostics.map { "\($0.code.rawValue) \($0.message)" } == [])
    }
}
