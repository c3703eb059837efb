internal import PipelineConfig

/// Finds the comments that are written for this program. libyaml reads over comments.
struct YAMLComments {
    private static let word = "pipe-run:"

    private let lines: SourceLines
    /// The comment below the one that is being read that stands alone, and the line that it speaks of.
    private var below: (number: Int, line: Int)?

    private init(_ lines: SourceLines) {
        self.lines = lines
    }

    /// The comments `# pipe-run: …` in the order of the text.
    ///
    /// - Parameter texts: where quoted and block scalars with a `#` in them stand, in the order of the text.
    static func find(in lines: SourceLines, outside texts: [TextRange]) -> [ConfigComment] {
        var rest = texts[...]
        var starts: [(number: Int, scalars: [Unicode.Scalar], start: Int)] = []
        for number in lines.numbers(ofLinesWith: word) {
            let scalars = Array(lines[number].unicodeScalars)
            guard let start = startOfComment(in: scalars, line: number, outside: &rest) else { continue }
            starts.append((number, scalars, start))
        }
        var reader = YAMLComments(lines)
        // From the bottom up: one comment below another speaks of the same line.
        return starts.reversed().compactMap { reader.comment(in: $0, of: $1, from: $2) }.reversed()
    }

    /// The first `#` of the line that stands at its beginning or after a space, and in no text (YAML 1.1, section 4.1.1).
    private static func startOfComment(
        in scalars: [Unicode.Scalar], line: Int, outside texts: inout ArraySlice<TextRange>
    ) -> Int? {
        scalars.indices.first { index in
            guard scalars[index] == "#", index == 0 || isBlank(scalars[index - 1]) else { return false }
            let position = TextPosition(line: line, column: index + 1)
            texts = texts.drop { $0.end <= position }
            return texts.first.map { position < $0.start } ?? true
        }
    }

    private mutating func comment(in number: Int, of scalars: [Unicode.Scalar], from start: Int) -> ConfigComment? {
        let words = scalars[(start + 1)...].drop(while: Self.isBlank)
        guard words.starts(with: Self.word.unicodeScalars) else { return nil }
        var line = number
        if scalars[..<start].allSatisfy(Self.isBlank) {
            line = lineBelow(number)
            below = (number, line)
        }
        return ConfigComment(
            text: String(String.UnicodeScalarView(words.dropFirst(Self.word.unicodeScalars.count))),
            range: TextRange(TextPosition(line: number, column: start + 1), TextPosition(line: number, column: scalars.count + 1)),
            line: line)
    }

    /// The next line that is more than a comment.
    private func lineBelow(_ number: Int) -> Int {
        var next = number + 1
        while next < lines.count, lines[next].unicodeScalars.first(where: { !Self.isBlank($0) }) == "#" {
            if let below, below.number == next { return below.line }
            next += 1
        }
        return next
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
