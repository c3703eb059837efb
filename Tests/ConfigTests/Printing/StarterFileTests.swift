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
}
