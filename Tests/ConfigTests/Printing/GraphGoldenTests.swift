import Foundation
import Pipeline
import PipelineReports
import PipelineYAML
import Testing

@testable import PipeRunKit

/// The drawing in the documentation is the one that the program makes. `UPDATE_GOLDEN=1` draws it anew.
@Suite struct GraphGoldenTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    @Test func `the drawing in docs is that of the example`() throws {
        let drawing = Self.root.appending(path: "docs/friends.svg")
        let bytes = try Data(contentsOf: Self.root.appending(path: "examples/friends/pipeline.yaml"))
        let report = ConfigFile(text: Array(bytes), name: "pipeline.yaml").report(
            plugins: Reading.plugins, environment: Reading.environment, level: .graph)

        let drawn = GraphSVG.draw(GraphModel(report.plan.pipelines, of: report))

        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try drawn.write(to: drawing, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: drawing, encoding: .utf8) == drawn)
    }
}
