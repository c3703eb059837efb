internal import PipelineConfig

/// The lines of a scalar that goes on over lines: white space in them, and at their ends, may be part of it.
struct ScalarLines {
    let lines: Range<Int>
    /// Whether it stands after `|` or `>`, so that empty lines at its end are mostly none of its text.
    let isBlock: Bool

    init(_ range: TextRange, _ style: YAMLParser.Event.ScalarStyle) {
        isBlock = style == .block
        let afterLast = isBlock && range.end.column > 1 ? range.end.line + 1 : range.end.line
        let first = isBlock ? range.start.line + 1 : range.start.line
        lines = first..<max(first, afterLast)
    }
}
