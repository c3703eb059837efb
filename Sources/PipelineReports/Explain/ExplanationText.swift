internal import Pipeline
internal import PipelineConfig

/// Explanations for people: sentences below titles, each with its places in brackets.
package struct ExplanationText {
    private let file: String
    private let hasColour: Bool
    private let columns: Int?

    /// - Parameters:
    ///   - file: as the user named it.
    ///   - columns: how many a line has at most, unless a word is longer; nil for lines that are not broken.
    package init(file: String, hasColour: Bool, columns: Int? = nil) {
        self.file = file
        self.hasColour = hasColour
        self.columns = columns
    }

    package func text(_ explanations: [Explanation]) -> String {
        explanations.map(text).joined(separator: "\n")
    }

    private func text(_ explanation: Explanation) -> String {
        let title = explanation.signature + (explanation.description.map { ": \($0)" } ?? "")
        var lines = broken([(title.printable, 1)], indent: "", next: "  ")
        for section in explanation.sections {
            lines += ["", styled(section.title, 1)]
            lines += section.sentences.flatMap { sentence in
                broken([(sentence.text.printable + " ", nil), ("[\(places(sentence.grounds))]".printable, 2)], indent: "  ", next: "    ")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func places(_ grounds: [Explanation.Ground]) -> String {
        grounds.map { ground in
            switch ground {
            case .place(let range): "\(file):\(range.start.line)"
            case .byDefault: "default"
            case .order: "--order"
            case .always: "always"
            }
        }.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: ", ")
    }

    /// The parts one after the other, with a space between them, in lines of at most ``columns``.
    ///
    /// - Parameters:
    ///   - indent: what the first line begins with.
    ///   - next: what the others begin with.
    private func broken(_ parts: [(text: String, style: Int?)], indent: String, next: String) -> [String] {
        var lines: [String] = []
        var (line, width) = (indent, indent.count)
        var isEmpty = true
        for (text, style) in parts {
            for word in columns == nil ? [text[...]] : text.split(separator: " ", omittingEmptySubsequences: false) {
                let length = TerminalWidth.of(String(word))
                if let columns, !isEmpty, width + 1 + length > columns {
                    lines.append(line.hasSuffix(" ") ? String(line.dropLast()) : line)
                    (line, width, isEmpty) = (next, next.count, true)
                }
                // A gap at the end of a line is none at the beginning of the next.
                if isEmpty, word.isEmpty { continue }
                line += (isEmpty ? "" : " ") + (style.map { styled(String(word), $0) } ?? String(word))
                width += length + (isEmpty ? 0 : 1)
                isEmpty = false
            }
        }
        return lines + [line]
    }

    private func styled(_ text: String, _ style: Int) -> String { hasColour ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text }
}
