internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML

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

    /// How many scalars a line has, from 1; none one that does not exist.
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

    /// The same places in their order, each once.
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
