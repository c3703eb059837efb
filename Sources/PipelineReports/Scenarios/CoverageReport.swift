internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
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
    /// The points of each place: `✓` an expectation depended on it, `~` it was reached, `✗` it was not. A line for each pipeline at the
    /// end.
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

extension CoverageReport {
    /// `{"all","reached","asserted","pipelines":[…],"points":[…]}`: the counts, and each point with how many runs reached and asserted it.
    package var json: String {
        let pipelines = coverage.configs.flatMap { config in
            config.pipelines.map { name in
                JSONText.object([("file", .string(config.file.name)), ("pipeline", .string(name))] + Self.members(config.count(of: name)))
            }
        }
        let points = coverage.configs.flatMap { config in config.orders.flatMap { Self.points(of: $0, in: config) } }
        return JSONText.object(Self.members(coverage.count) + [("pipelines", .lines(pipelines)), ("points", .lines(points))]).text + "\n"
    }

    private static func members(_ count: Coverage.Count) -> [(String, JSONText)] {
        [("all", .int(count.all)), ("reached", .int(count.reached)), ("asserted", .int(count.asserted))]
    }

    private static func points(of order: Coverage.Order, in config: Coverage.Config) -> [JSONText] {
        order.points.map { point in
            .object([
                ("file", .string(config.file.name)), ("line", .int(point.range.start.line)), ("column", .int(point.range.start.column)),
                ("pipeline", .string(order.pipeline)), ("order", .optional(order.title)), ("element", .string(point.id.element)),
                ("branch", .string(point.id.branch)), ("reached", .int(point.reached)), ("asserted", .int(point.asserted)),
            ])
        }
    }
}

extension CoverageReport {
    /// A tracefile as editors and services read it: each point is a branch of its line, taken as often as expectations depended on it. A line
    /// counts as executed when something at it was reached.
    package var lcov: String { coverage.configs.map(Self.lcov).joined() }

    private static func lcov(of config: Coverage.Config) -> String {
        // Names with line breaks would end the record.
        var text = "TN:\nSF:\(config.file.name.printable)\n"
        var lines: [Int: Int] = [:]
        var (all, taken) = (0, 0)
        for (block, order) in config.orders.enumerated() {
            for (branch, point) in order.points.enumerated() {
                let line = point.range.start.line
                lines[line, default: 0] += point.reached
                // A branch of a line that was not executed has no count.
                let count = point.reached == 0 ? "-" : "\(point.asserted)"
                text += "BRDA:\(line),\(block),\(branch),\(count)\n"
                (all, taken) = (all + 1, taken + (point.asserted > 0 ? 1 : 0))
            }
        }
        text += "BRF:\(all)\nBRH:\(taken)\n"
        for (line, count) in lines.sorted(by: { $0.key < $1.key }) { text += "DA:\(line),\(count)\n" }
        return text + "LF:\(lines.count)\nLH:\(lines.values.count { $0 > 0 })\nend_of_record\n"
    }
}

extension CoverageReport {
    /// A page without anything from elsewhere: the counts, and each configuration with what its lines can do.
    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>Coverage of scenario tests</title>
        <style>
        body { font-family: system-ui, sans-serif; margin: 2em }
        table { border-collapse: collapse; margin-bottom: 2em }
        td, th { padding: .1em .6em; text-align: left; vertical-align: top }
        pre { margin: 0 }
        .asserted { background: #d4f5d4 } .reached { background: #fff3c4 } .missed { background: #fbd5d5 }
        </style>
        </head>
        <body>
        <h1>Coverage of scenario tests</h1>
        <p><span class="asserted">asserted</span> <span class="reached">reached</span> <span class="missed">not reached</span></p>
        <table>
        <tr><th>Pipeline</th><th>Coverage</th></tr>
        \(coverage.configs.map(Self.counts).joined())</table>
        \(coverage.configs.map(Self.listing).joined())</body>
        </html>

        """
    }

    private static func counts(of config: Coverage.Config) -> String {
        config.pipelines.map { "<tr><td>\(XMLText.escaped($0))</td><td>\(config.count(of: $0).text)</td></tr>\n" }.joined()
    }

    private static func listing(of config: Coverage.Config) -> String {
        let printer = DiagnosticPrinter(lines: config.file.lines, secretRanges: config.secretRanges, hasColour: false)
        var cells: [Int: String] = [:]
        for order in config.orders {
            for row in rows(of: order) {
                let points = row.points.map { "<span class=\"\(style(of: $0))\">\(XMLText.escaped($0.id.branch))</span>" }
                cells[row.range.start.line, default: ""] +=
                    "<div>\(XMLText.escaped(title(of: order))): \(XMLText.escaped(row.element)) \(points.joined(separator: " "))</div>"
            }
        }
        let lines = (1...max(1, config.file.lines.count)).map { line in
            "<tr><td>\(line)</td><td><pre>\(XMLText.escaped(printer.maskedLine(line)))</pre></td><td>\(cells[line] ?? "")</td></tr>\n"
        }
        return "<h2>\(XMLText.escaped(config.file.name))</h2>\n<table>\n\(lines.joined())</table>\n"
    }

    private static func style(of point: CoveragePoint) -> String {
        point.asserted > 0 ? "asserted" : point.reached > 0 ? "reached" : "missed"
    }
}
