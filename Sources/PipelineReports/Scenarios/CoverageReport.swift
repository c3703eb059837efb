internal import Pipeline
internal import PipelineConfig
package import PipelineScenarios
internal import PipelineYAML

/// The coverage of tests, for people and for programs: each output is a pure function of it.
package struct CoverageReport {
    let coverage: Coverage

    package init(_ coverage: Coverage) {
        self.coverage = coverage
    }

    /// The points of one element at one place.
    struct Row {
        let range: TextRange
        let element: String
        var points: [CoveragePoint]
    }

    /// The points of an order in reading order, those of one element together.
    static func rows(of order: Coverage.Order) -> [Row] {
        order.points.reduce(into: []) { rows, point in
            if let last = rows.last, last.element == point.id.element, last.range == point.range {
                rows[rows.count - 1].points.append(point)
            } else {
                rows.append(Row(range: point.range, element: point.id.element, points: [point]))
            }
        }
    }

    /// `friends [cache-first]`.
    static func title(of order: Coverage.Order) -> String { order.title.map { "\(order.pipeline) [\($0)]" } ?? order.pipeline }
}

/// Text.
extension CoverageReport {
    /// What each place can do: `✓` an expectation depended on it, `~` it was reached, `✗` it was not. A line for each pipeline at the end.
    package var text: String {
        let orders = coverage.configs.flatMap { config in config.orders.map { Self.text(of: $0, in: config) } }
        let pipelines = coverage.configs.flatMap { config in config.pipelines.map { ($0.printable, config.count(of: $0).text) } }
        let width = pipelines.map { TerminalWidth.of($0.0) }.max() ?? 0
        return "✓ asserted  ~ reached  ✗ not reached\n\n" + orders.joined(separator: "\n") + "\n"
            + pipelines.map { "\(Self.padded($0, to: width))  \($1)\n" }.joined()
    }

    private static func text(of order: Coverage.Order, in config: Coverage.Config) -> String {
        let rows = rows(of: order).map { row in
            let place = row.range.start
            return (
                place: "\(config.file.name):\(place.line):\(place.column)".printable, element: row.element.printable,
                points: row.points.map { "\(mark(of: $0)) \($0.id.branch)" }.joined(separator: "  ")
            )
        }
        let places = rows.map { TerminalWidth.of($0.place) }.max() ?? 0
        let elements = rows.map { TerminalWidth.of($0.element) }.max() ?? 0
        return title(of: order).printable + "\n"
            + rows.map { "  \(padded($0.place, to: places))  \(padded($0.element, to: elements))  \($0.points)\n" }.joined()
    }

    private static func mark(of point: CoveragePoint) -> String { point.asserted > 0 ? "✓" : point.reached > 0 ? "~" : "✗" }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - TerminalWidth.of(text)))
    }
}

/// Commands of a GitHub workflow.
extension CoverageReport {
    /// A warning at each element that has something which no test reached, a notice where no expectation depends on it, and a notice for each
    /// pipeline.
    package var github: String {
        coverage.configs.flatMap { config in
            config.orders.flatMap { order in Self.rows(of: order).flatMap { Self.commands(of: $0, order, in: config) } }
                + config.pipelines.map { name in
                    let range = config.orders.first { $0.pipeline == name }?.points.first?.range ?? .beginning
                    return WorkflowCommands.line(
                        "notice", file: config.file.name, at: range, title: "coverage of \(name.printable)", config.count(of: name).text)
                }
        }.map { $0 + "\n" }.joined()
    }

    private static func commands(of row: Row, _ order: Coverage.Order, in config: Coverage.Config) -> [String] {
        let missed = row.points.filter { $0.reached == 0 }
        let unasserted = row.points.filter { $0.reached > 0 && $0.asserted == 0 }
        return [("warning", missed, "no test reaches"), ("notice", unasserted, "no expectation depends on")].compactMap {
            severity, points, words in
            guard !points.isEmpty else { return nil }
            return WorkflowCommands.line(
                severity, file: config.file.name, at: row.range, title: title(of: order).printable,
                "\(words) \(row.element.printable): \(points.map(\.id.branch).joined(separator: ", "))")
        }
    }
}
