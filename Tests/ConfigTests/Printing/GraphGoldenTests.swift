import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import PipelineReports

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

    @Test func `the drawing of feeds in docs is that of the program`() throws {
        let drawing = Self.root.appending(path: "docs/live.svg")
        let text = """
            sources:
              memory: { type: memory, max_entries: 10000 }
              disk: { type: file, path: ".cache/{key}.json", max_entries: 10000 }
              api: { type: http, url: "https://api.example.org/friends/{user}" }
              events: { type: websocket, url: "wss://api.example.org/friends/{user}" }
              tick: { type: poll, every: 30s }
            pipelines:
              friends:
                parameters: [user]
                tiers: [{ source: memory, ttl: 30s }, { source: disk, ttl: 10m, debounce: 2s }, api]
                live:
                  - { source: events, id: /id, version: /updated_at, insert: { by: /name } }
                  - tick

            """
        let report = Reading.report(text, plugins: Reading.plugins(for: text))
        #expect(report.codes == [])

        let drawn = GraphSVG.draw(GraphModel(report.plan.pipelines, of: report))

        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try drawn.write(to: drawing, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: drawing, encoding: .utf8) == drawn)
    }
}
