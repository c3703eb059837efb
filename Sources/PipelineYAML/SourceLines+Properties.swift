internal import PipelineConfig

extension SourceLines {
    /// The place of a scalar without the anchor and the tag before it, where they stand on its line. Takes time in proportion to the scalar.
    func withoutProperties(_ range: TextRange) -> TextRange {
        guard range.start.line == range.end.line else { return range }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = bytes(in: range)
        while let first = rest.first, first == UInt8(ascii: "&") || first == UInt8(ascii: "!") {
            rest = rest.drop { !isBlank($0) }.drop(while: isBlank)
        }
        let left = rest.count { $0 & 0xC0 != 0x80 }
        return TextRange(TextPosition(line: range.start.line, column: range.end.column - left), range.end)
    }
}
