import Foundation
import PipelineConfig
import PipelineServer
import Testing

@testable import PipeRunKit

/// docs/grafana.json, held against the metrics that there are.
@Suite struct DashboardTests {
    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable {
                let expr: String
                let refId: String
            }
            struct Place: Decodable {
                let x: Int
                let w: Int
            }
            let id: Int
            let title: String
            let targets: [Target]
            let gridPos: Place
        }
        let panels: [Panel]
    }

    private func dashboard() throws -> (Dashboard, text: String) {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/grafana.json").standardized
        let data = try Data(contentsOf: file)
        return (try JSONDecoder().decode(Dashboard.self, from: data), String(decoding: data, as: UTF8.self))
    }

    private func names(in text: String) -> Set<String> {
        Set(text.matches(of: /pipe_run_[a-z_]+/).map { String($0.output).replacing(/_(bucket|sum|count)$/, with: "") })
    }

    @Test func `the dashboard shows every metric, and none that there is not`() throws {
        let (dashboard, text) = try dashboard()
        let metrics = Set(PipelineMetric.allCases.map(\.rawValue))

        #expect(names(in: text).subtracting(metrics) == [])
        #expect(metrics.subtracting(names(in: dashboard.panels.flatMap(\.targets).map(\.expr).joined(separator: " "))) == [])
    }

    @Test func `panels have numbers of their own, and stand within the grid`() throws {
        let panels = try dashboard().0.panels

        #expect(Set(panels.map(\.id)).count == panels.count && panels.count > 8)
        for panel in panels {
            #expect(panel.gridPos.x + panel.gridPos.w <= 24, "\(panel.title)")
            #expect(Set(panel.targets.map(\.refId)).count == panel.targets.count, "\(panel.title)")
        }
    }

    @Test func `docs/observing_md names every metric`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/observing.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)

        #expect(names(in: text) == Set(PipelineMetric.allCases.map(\.rawValue)))
    }
}
