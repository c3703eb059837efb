internal import Pipeline
internal import PipelineConfig

/// Slips with the indentation of a line.
extension YAMLSlip {
    /// The number of lines that are looked at for the levels of a line.
    private static let mostLevelLines = 50

    /// `timeout: 3s` at the column of the `-` of `- source: api` above it.
    static func besideItsElement(_ line: SlippedLine, below above: SlippedLine, _ problem: YAMLParser.Problem) -> YAMLSlip? {
        let (key, other) = (line.endOfName(from: line.indent), above.endOfName(from: above.start))
        guard problem.message == "did not find expected '-' indicator", line.indent == above.indent, above.start > above.indent,
            key > line.indent, key < line.end, line.scalars[key] == ":", other < above.end, above.scalars[other] == ":"
        else { return nil }
        let (name, field, width) = (line.text(line.indent..<key), above.text(above.start..<other), above.start - above.indent)
        return YAMLSlip(
            "`\(name.shortened)` stands at the column of the `-` above it",
            help: "indent it by \(width) more spaces, below `\(field.shortened)`", line, line.indent..<key,
            fix: line.fix(line.indent..<line.indent, String(repeating: " ", count: width), "now below `\(field.shortened)`"))
    }

    /// `   other:` with three spaces, below lines with two and with four.
    static func betweenLevels(_ line: SlippedLine, _ problem: YAMLParser.Problem, in lines: SourceLines) -> YAMLSlip? {
        let end = line.endOfName(from: line.indent)
        guard problem.message == "did not find expected key", problem.position.column - 1 == line.indent, end > line.indent, end < line.end,
            line.scalars[end] == ":"
        else { return nil }
        var levels: [(indent: Int, name: String, line: Int)] = []
        var number = line.number
        while number > 1, line.number - number < mostLevelLines {
            number -= 1
            guard let above = SlippedLine(lines, number), above.indent < above.end else { continue }
            let name = above.endOfName(from: above.indent)
            guard name > above.indent, name < above.end, above.scalars[name] == ":", levels.last.map({ above.indent < $0.indent }) ?? true
            else { continue }
            levels.append((above.indent, above.text(above.indent..<name), number))
            if above.indent < line.indent { break }
        }
        if levels.count == 1, let above = SlippedLine(lines, levels[0].line), let slip = outdented(above, above: line, in: lines) {
            return slip
        }
        guard let outer = levels.last, outer.indent < line.indent, let inner = levels.dropLast().last, inner.indent > line.indent else {
            return nil
        }
        let ways = [outer, inner].map {
            "with \($0.indent == 0 ? "no space" : "\($0.indent) spaces"), as `\($0.name.shortened)` in line \($0.line)"
        }
        return YAMLSlip(
            "`\(line.text(line.indent..<end).shortened)` is indented like none of the lines above",
            help: "indent it \(ways[0]), or \(ways[1])", line, line.indent..<end)
    }

    /// A field further to the left than those above and below it.
    private static func outdented(_ line: SlippedLine, above next: SlippedLine, in lines: SourceLines) -> YAMLSlip? {
        let end = line.endOfName(from: line.indent)
        guard let upper = SlippedLine(lines, lineAbove(line.number, in: lines)), upper.start == next.indent, line.indent < next.indent,
            upper.endOfName(from: upper.start) > upper.start, end > line.indent, end + 1 < line.end, line.scalars[end] == ":"
        else { return nil }
        return YAMLSlip(
            "`\(line.text(line.indent..<end).shortened)` is indented less than the lines above and below it",
            help: "indent it with \(next.indent) spaces", line, line.indent..<end,
            fix: line.fix(0..<line.indent, String(repeating: " ", count: next.indent), "now with \(next.indent) spaces"))
    }

    /// `url` further to the right than `type: http` above it.
    static func indentedTooFar(
        _ line: SlippedLine, below above: SlippedLine, _ problem: YAMLParser.Problem, in lines: SourceLines
    ) -> YAMLSlip? {
        let colon = above.endOfName(from: above.start)
        guard problem.message.hasPrefix("mapping values"), line.indent > above.start, colon + 2 < above.end, above.scalars[colon] == ":",
            line.endOfName(from: line.indent) == problem.position.column - 1
        else { return nil }
        let (name, other) = (line.text(line.indent..<(problem.position.column - 1)), above.text(above.start..<colon))
        if let slip = outdented(above, above: line, in: lines) { return slip }
        return YAMLSlip(
            "`\(name.shortened)` is indented further than `\(other.shortened)` above it",
            help: "indent both with the same number of spaces", line,
            line.indent..<(problem.position.column - 1))
    }
}
