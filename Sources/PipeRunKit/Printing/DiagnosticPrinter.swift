internal import Pipeline
internal import PipelineYAML

/// Diagnostics in text form: the place, the source line with a caret underline, help and notes.
struct DiagnosticPrinter {
    let lines: SourceLines
    let secretRanges: [TextRange]
    let hasColour: Bool

    /// `file:line:col: severity[CODE]: message` and what belongs to it, ending with a line break.
    func text(_ diagnostic: Diagnostic) -> String {
        let range = diagnostic.range
        var result = coloured(
            "\(diagnostic.file):\(range.start.line):\(range.start.column): ", 1)
        result += coloured("\(diagnostic.severity.rawValue)[\(diagnostic.code.rawValue)]", diagnostic.severity == .error ? 31 : 33)
        result += ": \(diagnostic.message)\n"
        result += excerpt(range)
        if let help = diagnostic.help { result += "  help: \(help)\n" }
        for related in diagnostic.related {
            if let place = related.range {
                result += "  note: \(diagnostic.file):\(place.start.line):\(place.start.column): \(related.message)\n" + excerpt(place)
            } else {
                result += "  note: \(related.message)\n"
            }
        }
        return result
    }

    /// The source line and below it the carets; nothing where the text has no such line.
    private func excerpt(_ range: TextRange) -> String {
        let line = range.start.line
        guard line <= lines.count, !lines[line].isEmpty else { return "" }
        let scalars = Array(masked(line).unicodeScalars)
        let start = min(range.start.column - 1, scalars.count)
        let end = range.end.line == line ? min(max(range.end.column - 1, start + 1), max(scalars.count, start + 1)) : scalars.count
        let gutter = "\(line)"
        let margin = String(repeating: " ", count: gutter.count)
        let shown = String(String.UnicodeScalarView(scalars.map(visible)))
        let indent = String(String.UnicodeScalarView(scalars[..<start].flatMap(blank)))
        let underlined = start < end && end <= scalars.count ? scalars[start..<end].map(TerminalWidth.of).reduce(0, +) : 1
        let carets = coloured(String(repeating: "^", count: max(1, underlined)), 31)
        return "  \(gutter) | \(shown)\n  \(margin) | \(indent)\(carets)\n"
    }

    /// White space as wide as the character, tabs kept so that they line up.
    private func blank(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        scalar == "\t" ? ["\t"] : Array(repeating: " ", count: TerminalWidth.of(scalar))
    }

    /// Control characters must not reach a terminal.
    private func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar != "\t" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)) ? "\u{FFFD}" : scalar
    }

    /// The line with secrets replaced, character by character, so that the carets stay in place.
    private func masked(_ line: Int) -> String {
        var scalars = Array(lines[line].unicodeScalars)
        for range in secretRanges where range.start.line <= line && line <= range.end.line {
            let start = range.start.line == line ? range.start.column - 1 : 0
            let end = range.end.line == line ? range.end.column - 1 : scalars.count
            for index in start..<max(start, min(end, scalars.count)) where scalars.indices.contains(index) { scalars[index] = "*" }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private func coloured(_ text: String, _ colour: Int) -> String {
        hasColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }
}
