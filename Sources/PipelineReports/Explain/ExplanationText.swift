internal import Pipeline
internal import PipelineConfig

/// Explanations for people: sentences below titles, each with its places in brackets.
package struct ExplanationText {
    private let file: String
    private let hasColour: Bool

    /// - Parameter file: as the user named it.
    package init(file: String, hasColour: Bool) {
        self.file = file
        self.hasColour = hasColour
    }

    package func text(_ explanations: [Explanation]) -> String {
        explanations.map(text).joined(separator: "\n")
    }

    private func text(_ explanation: Explanation) -> String {
        let title = explanation.signature + (explanation.description.map { ": \($0)" } ?? "")
        var lines = [styled(title.printable, 1)]
        for section in explanation.sections {
            lines += ["", styled(section.title, 1)]
            lines += section.sentences.map { "  \($0.text.printable)  " + styled("[\(places($0.grounds))]".printable, 2) }
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

    private func styled(_ text: String, _ style: Int) -> String { hasColour ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text }
}
