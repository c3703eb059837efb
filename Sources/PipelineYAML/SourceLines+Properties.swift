internal import PipelineConfig

extension SourceLines {
    /// The place of a scalar without the anchor and the tag before it, where they stand on its line.
    func withoutProperties(_ range: TextRange) -> TextRange {
        guard range.start.line == range.end.line else { return range }
        var rest = self[range.start.line].unicodeScalars.dropFirst(range.start.column - 1).prefix(range.end.column - range.start.column)
        while let first = rest.first, first == "&" || first == "!" {
            rest = rest.drop { $0 != " " && $0 != "\t" }.drop { $0 == " " || $0 == "\t" }
        }
        return TextRange(TextPosition(line: range.start.line, column: range.end.column - rest.count), range.end)
    }
}
