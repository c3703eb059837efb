internal import PipelineConfig
internal import PipelineScenarios
internal import PipelineYAML

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
