internal import PipelineConfig

extension SourceLines {
    /// How far the lines of a block scalar are indented whose `|` stands at `start`; nil for one that is folded (`>`), or that has no text.
    func indent(ofBlock text: String, at start: TextPosition) -> Int? {
        guard scalars(ofLine: start.line, (start.column - 1)..<start.column) == ["|"] else { return nil }
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard let index = lines.firstIndex(where: { !$0.isEmpty }) else { return nil }
        return max(0, scalarCount(ofLine: start.line + 1 + index) - lines[index].count)
    }
}
