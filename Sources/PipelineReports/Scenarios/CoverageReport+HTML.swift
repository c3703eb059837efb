internal import PipelineConfig
internal import PipelineScenarios
internal import PipelineYAML

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
