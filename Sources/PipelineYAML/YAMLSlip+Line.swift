internal import Pipeline
internal import PipelineConfig

/// A line as YAML reads it: what quotes enclose, and where its comment begins. Made for a line that cannot be read.
struct SlippedLine {
    let scalars: [Unicode.Scalar]
    let number: Int
    /// The places that no quotes enclose, up to the comment.
    private(set) var outside: [Int] = []
    /// The quotes in pairs, each with what is between them.
    private(set) var quotes: [ClosedRange<Int>] = []
    /// The place of quotes that do not close in the line.
    private(set) var unclosed: Int?
    /// The end of what is written, without a comment and the spaces before it.
    private(set) var end = 0

    /// The length of the longest line that is looked at.
    private static let longest = 800

    /// Reads a line; nil for one that is too long.
    init?(_ lines: SourceLines, _ number: Int) {
        guard number > 0, number <= lines.count else { return nil }
        let line = lines[number]
        guard line.utf8.count <= Self.longest else { return nil }
        (scalars, self.number) = (Array(line.unicodeScalars), number)
        var last: Unicode.Scalar?
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "#", index == 0 || scalars[index - 1] == " " { break }
            if scalar == "\"" || scalar == "'", last.map({ ":,[{-".unicodeScalars.contains($0) }) ?? true {
                guard let close = closing(index) else {
                    unclosed = index
                    (index, end) = (scalars.count, scalars.count)
                    break
                }
                quotes.append(index...close)
                (index, end, last) = (close + 1, close + 1, scalar)
                continue
            }
            outside.append(index)
            index += 1
            if scalar != " ", scalar != "\t" { (last, end) = (scalar, index) }
        }
    }

    /// The end of the text in quotes that begins at `open`; nil if it does not end.
    func closing(_ open: Int) -> Int? {
        var index = open + 1
        while index < scalars.count {
            if scalars[open] == "\"", scalars[index] == "\\" {
                index += 2
                continue
            }
            if scalars[index] == scalars[open] {
                guard scalars[open] == "'", index + 1 < scalars.count, scalars[index + 1] == "'" else { return index }
                index += 1
            }
            index += 1
        }
        return nil
    }

    var indent: Int { scalars.prefix { $0 == " " }.count }

    func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range.clamped(to: 0..<scalars.count)])) }

    /// The text of the line, without its indentation and a comment.
    var content: String { text(min(indent, end)..<end) }

    func range(_ columns: Range<Int>) -> TextRange {
        TextRange(TextPosition(line: number, column: columns.lowerBound + 1), TextPosition(line: number, column: columns.upperBound + 1))
    }

    func fix(_ columns: Range<Int>, _ text: String, _ summary: String) -> TextFix {
        TextFix([TextFix.Replacement(range(columns), with: text)], summary: summary)
    }

    /// The end of the name that begins at `start`; `start` if none does.
    func endOfName(from start: Int) -> Int {
        var index = start
        while index < end, scalars[index].isASCII,
            scalars[index].properties.isAlphabetic || "0123456789_-".unicodeScalars.contains(scalars[index])
        {
            index += 1
        }
        return index
    }

    /// The beginning of the key or the element, behind dashes.
    var start: Int {
        var index = indent
        while index + 1 < end, scalars[index] == "-", scalars[index + 1] == " " {
            index += 1
            while index < end, scalars[index] == " " { index += 1 }
        }
        return index
    }

    /// The place before `index` where something stands.
    func lastWritten(before index: Int) -> Int? { scalars[..<index].lastIndex { $0 != " " } }
}
