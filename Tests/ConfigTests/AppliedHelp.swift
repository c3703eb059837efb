import Pipeline
import PipelineConfig

/// A text in which was done to the letter what the help of a diagnostic says: the value, the field or the line of the help stands where
/// the problem is marked.
struct AppliedHelp {
    /// What is to be written.
    let words: String
    /// The text with it.
    let text: String

    /// One for each ``write `…` `` and ``did you mean `…`? `` in the help of `diagnostic`.
    static func all(of diagnostic: Diagnostic, in text: String) -> [AppliedHelp] {
        guard let help = diagnostic.help else { return [] }
        return ["write `", "did you mean `"].flatMap { verb in
            help.split(separator: verb, omittingEmptySubsequences: false).dropFirst().compactMap { part in
                guard let end = part.firstIndex(of: "`") else { return nil }
                return AppliedHelp(String(part[..<end]), rest: String(part[part.index(after: end)...]), of: diagnostic, in: text)
            }
        }
    }

    private init(_ words: String, rest: String, of diagnostic: Diagnostic, in text: String) {
        self.words = words
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.unicodeScalars) }
        if rest.hasPrefix(" under `") {
            let source = rest.dropFirst(8).prefix { $0 != "`" }
            for index in lines.indices where String(lines[index]).hasPrefix("  \(source): {") {
                lines[index] = Array(String(lines[index]).replacing(" }", with: ", \(words) }").unicodeScalars)
            }
        } else {
            Self.write(words, at: diagnostic.range, in: &lines)
        }
        self.text = lines.map { String($0) }.joined(separator: "\n")
    }

    private static func write(_ words: String, at range: TextRange, in lines: inout [[Unicode.Scalar]]) {
        var (line, start) = (range.start.line - 1, range.start.column - 1)
        let last = range.end.line - 1
        var end = range.end.column - 1
        var written = words
        // What is marked is a key: its value goes with it.
        if line == last, lines[line].dropFirst(end).first == ":", words.contains(": ") { end = endOfValue(in: lines[line], after: end + 1) }
        if let (place, value) = field(of: words, before: start, in: lines, from: line) {
            let between = place.line == line ? lines[line][place.column..<start] : []
            if between.contains("&") {
                // The anchor stays, and the value alone is written.
                written = value.hasPrefix("[") ? String(value.dropFirst().prefix { !",]".contains($0) }) : value
            } else {
                (line, start) = place
                if between.contains("[") { end = endOfValue(in: lines[last], after: start + (words.count - value.count)) }
            }
        }
        let marked = lines[line].dropFirst(start)
        let isQuoted = line == last && marked.first == marked.prefix(max(0, end - start)).last
        if isQuoted, let quote = marked.first, quote == "\"" || quote == "'", written.hasPrefix("$") {
            written = String(quote) + written + String(quote)
        }
        let head = lines[line].prefix(start)
        // A text of several lines ends where the next line begins.
        let rest = end == 0 && last > line ? [lines[last]] : []
        let tail = rest.isEmpty ? lines[last].dropFirst(end) : []
        lines.replaceSubrange(line...last, with: [head + Array(written.unicodeScalars) + tail] + rest)
    }

    /// Where the field stands that `words` begin with, and the value that they have for it; nil for words without a field.
    private static func field(
        of words: String, before start: Int, in lines: [[Unicode.Scalar]], from line: Int
    ) -> (place: (line: Int, column: Int), value: String)? {
        guard let colon = words.firstRange(of: ": "), let first = words.first, !"{[\"".contains(first) else { return nil }
        let key = Array((words[..<colon.lowerBound] + ":").unicodeScalars)
        for index in (max(0, line - 3)...line).reversed() {
            let before = index == line ? Array(lines[index].prefix(start)) : lines[index]
            if let column = before.indices.last(where: { before[$0...].starts(with: key) && !isPartOfWord(before, $0) }) {
                return ((index, column), String(words[colon.upperBound...]))
            }
        }
        return nil
    }

    private static func isPartOfWord(_ line: [Unicode.Scalar], _ index: Int) -> Bool {
        index > 0 && (line[index - 1].properties.isAlphabetic || line[index - 1] == "_")
    }

    private static func endOfValue(in line: [Unicode.Scalar], after start: Int) -> Int {
        var depth = 0
        for index in start..<max(start, line.count) {
            switch line[index] {
            case "{", "[": depth += 1
            case "}" where depth == 0, "]" where depth == 0, "," where depth == 0: return index
            case "}", "]": depth -= 1
            default: break
            }
        }
        return line.count
    }
}

extension String {
    init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
