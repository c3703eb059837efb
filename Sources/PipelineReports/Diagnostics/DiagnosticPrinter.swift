internal import Pipeline
package import PipelineConfig
package import PipelineYAML

/// Diagnostics in text form: the place, the source line with a caret underline, help and notes.
package struct DiagnosticPrinter {
    let lines: SourceLines
    private let masked: MaskedLines
    private let hasColour: Bool

    /// Shows places of `lines`, with what stands at `secretRanges` replaced.
    package init(lines: SourceLines, secretRanges: [TextRange], hasColour: Bool) {
        self.lines = lines
        self.hasColour = hasColour
        masked = MaskedLines(lines, secrets: secretRanges)
    }

    /// `file:line:col: severity[CODE]: message` and what belongs to it, ending with a line break.
    package func text(_ diagnostic: Diagnostic) -> String {
        let range = diagnostic.range
        var result = coloured(
            "\(diagnostic.file):\(range.start.line):\(range.start.column): ", 1)
        result += coloured("\(diagnostic.severity.rawValue)[\(diagnostic.code.rawValue)]", Self.colour(of: diagnostic.severity))
        result += ": \(shown(diagnostic.message))\n"
        result += excerpt(range, in: Self.colour(of: diagnostic.severity))
        if let help = diagnostic.help { result += "  help: \(shown(help))\n" }
        for related in diagnostic.related {
            if let place = related.range {
                result +=
                    "  note: \(diagnostic.file):\(place.start.line):\(place.start.column): \(shown(related.message))\n"
                // What is underlined already is not shown again.
                if place.start < range.start || place.end > range.end { result += excerpt(place, in: Self.colour(of: .note)) }
            } else {
                result += "  note: \(shown(related.message))\n"
            }
        }
        return result
    }

    /// The number of columns of a long line that are shown: more would bury the carets.
    private static let widest = 200

    /// The source line and below it the carets; nothing if the text has no such line. Of a long line only what stands around the place is
    /// shown, and read.
    ///
    /// - Parameter colour: the colour of the carets.
    package func excerpt(_ range: TextRange, in colour: Int = 31) -> String {
        let line = range.start.line
        let count = masked.count(ofLine: line)
        guard count > 0 else { return "" }
        let first = max(0, min(range.start.column - 1, count) - Self.widest / 2)
        let last = min(count, first + Self.widest)
        let (cut, rest): ([Unicode.Scalar], [Unicode.Scalar]) = (first > 0 ? ["…"] : [], last < count ? ["…"] : [])
        let scalars = cut + masked[line, first..<last] + rest
        let shift = first - cut.count
        let start = min(range.start.column - 1 - shift, scalars.count)
        let written = range.end.line == line ? range.end.column - 1 - shift : scalars.count
        let end = min(max(written, start + 1), max(scalars.count, start + 1))
        let gutter = "\(line)"
        let margin = String(repeating: " ", count: gutter.count)
        let shown = String(String.UnicodeScalarView(scalars.map(visible)))
        let indent = String(String.UnicodeScalarView(scalars[..<start].flatMap(blank)))
        let before = columns(of: scalars[..<start], from: gutter.count + 5)
        let underlined = start < end && end <= scalars.count ? columns(of: scalars[start..<end], from: before) - before : 1
        let carets = coloured(String(repeating: "^", count: max(1, underlined)), colour)
        return "  \(gutter) | \(shown)\n  \(margin) | \(indent)\(carets)\n"
    }

    /// The column of a terminal after `scalars`, which begin at `start`; a tab goes on to the next multiple of eight.
    private func columns(of scalars: ArraySlice<Unicode.Scalar>, from start: Int) -> Int {
        scalars.reduce(start) { $1 == "\t" ? ($0 / 8 + 1) * 8 : $0 + TerminalWidth.of(visible($1)) }
    }

    /// A line of the text with its secrets replaced, up to its first 4,096 scalars.
    func maskedLine(_ line: Int) -> String {
        String(String.UnicodeScalarView(masked[line, 0..<4096]))
    }

    /// A line of the text with its secrets replaced, without what a terminal would obey.
    func shownLine(_ line: Int) -> String {
        String(String.UnicodeScalarView(masked[line].map(visible)))
    }

    /// White space as wide as the character, tabs kept so that they line up.
    private func blank(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        scalar == "\t" ? ["\t"] : Array(repeating: " ", count: TerminalWidth.of(visible(scalar)))
    }

    /// A scalar that can be shown: control characters must not reach a terminal.
    private func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar != "\t" && scalar.isObeyedByTerminals ? "\u{FFFD}" : scalar
    }

    private func shown(_ words: String) -> String {
        String(String.UnicodeScalarView(words.unicodeScalars.map(visible)))
    }

    private static func colour(of severity: Diagnostic.Severity) -> Int {
        switch severity {
        case .error: 31
        case .warning: 33
        case .note: 36
        }
    }

    private func coloured(_ text: String, _ colour: Int) -> String {
        hasColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }
}

/// The lines of a text with its secrets replaced, character by character, so that what points at a place stays in place.
///
/// A file may have very many problems and secrets on one long line: a part of a line takes time in proportion to the part.
struct MaskedLines: Sendable {
    private let lines: SourceLines
    /// The secrets of each line, as ranges of its scalars in their order, none of which overlap.
    private let secrets: [Int: [Range<Int>]]

    init(_ lines: SourceLines, secrets ranges: [TextRange]) {
        self.lines = lines
        var secrets: [Int: [Range<Int>]] = [:]
        for range in ranges {
            for line in range.start.line...max(range.start.line, min(range.end.line, lines.count)) {
                let start = line == range.start.line ? max(0, range.start.column - 1) : 0
                // Where the secret goes on in the next line, all of the rest is secret.
                let end = line == range.end.line ? range.end.column - 1 : .max
                if start < end { secrets[line, default: []].append(start..<end) }
            }
        }
        self.secrets = secrets.mapValues(Self.joined)
    }

    /// The number of scalars of a line, from 1; none of one that does not exist.
    func count(ofLine line: Int) -> Int { lines.scalarCount(ofLine: line) }

    /// A line, from 1; empty for one that does not exist.
    subscript(line: Int) -> [Unicode.Scalar] { self[line, 0..<count(ofLine: line)] }

    /// The part of a line from one of its scalars, counted from 0, to another.
    subscript(line: Int, part: Range<Int>) -> [Unicode.Scalar] {
        var scalars = lines.scalars(ofLine: line, part)
        let secrets = secrets[line] ?? []
        let shown = part.lowerBound..<(part.lowerBound + scalars.count)
        for secret in secrets[Self.firstIndex(endingAfter: part.lowerBound, in: secrets)...] {
            guard secret.lowerBound < shown.upperBound else { break }
            for index in secret.clamped(to: shown) { scalars[index - part.lowerBound] = "*" }
        }
        return scalars
    }

    /// The places in their order, each once.
    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }

    private static func firstIndex(endingAfter place: Int, in ranges: [Range<Int>]) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
