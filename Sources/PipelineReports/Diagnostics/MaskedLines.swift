internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML
private import Synchronization

/// The lines of a text with its secrets replaced, character by character, so that what points at a place stays in place.
///
/// A file may have very many problems and secrets on one line: each line is masked once for all that is said of it in a row.
final class MaskedLines: Sendable {
    private let lines: SourceLines
    /// The secrets of each line, as ranges of its scalars; open at the end where the secret goes on in the next line.
    private let secrets: [Int: [(start: Int, end: Int?)]]
    private let last = Mutex<(line: Int, scalars: [Unicode.Scalar])>((0, []))

    init(_ lines: SourceLines, secrets ranges: [TextRange]) {
        self.lines = lines
        var secrets: [Int: [(start: Int, end: Int?)]] = [:]
        for range in ranges {
            for line in range.start.line...max(range.start.line, min(range.end.line, lines.count)) {
                let start = line == range.start.line ? range.start.column - 1 : 0
                secrets[line, default: []].append((start, line == range.end.line ? range.end.column - 1 : nil))
            }
        }
        self.secrets = secrets
    }

    /// A line, from 1; empty for one that does not exist.
    subscript(line: Int) -> [Unicode.Scalar] {
        let known = last.withLock { $0.line == line ? $0.scalars : nil }
        if let known { return known }
        let scalars = masked(line)
        last.withLock { $0 = (line, scalars) }
        return scalars
    }

    private func masked(_ line: Int) -> [Unicode.Scalar] {
        var scalars = Array(lines[line].unicodeScalars)
        for (start, end) in secrets[line] ?? [] {
            let end = min(end ?? scalars.count, scalars.count)
            for index in max(0, start)..<max(0, start, end) { scalars[index] = "*" }
        }
        return scalars
    }
}
