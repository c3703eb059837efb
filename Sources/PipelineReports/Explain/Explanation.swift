package import Pipeline
package import PipelineConfig
internal import PipelineJSON

/// The behaviour of a pipeline in plain sentences, each with what decided it.
package struct Explanation: Hashable {
    /// The reason why a sentence holds.
    enum Ground: Hashable {
        /// The sentence follows from what is written here.
        case place(TextRange)
        /// The file does not mention it.
        case byDefault
        /// The order that is tried.
        case order
        /// The sentence holds for every pipeline.
        case always
    }

    /// One sentence.
    struct Sentence: Hashable {
        let text: String
        let grounds: [Ground]
    }

    /// Sentences that belong together.
    struct Section: Hashable {
        /// The title, as a part of the JSON: `asking`.
        let id: String
        let title: String
        var sentences: [Sentence]
    }

    let pipeline: String
    let signature: String
    let description: String?
    /// The sources in the order of asking.
    let order: [String]
    let sections: [Section]

    /// - Parameters:
    ///   - sourceLimits: the time limits that sources have themselves, by their names.
    ///   - sharings: what sources do for several processes, by their names.
    ///   - pipelines: the pipelines of the file, which parts and links are of.
    ///   - sends: the sends of the file.
    ///   - isTried: whether the order is one that is only tried.
    package init(
        _ plan: PipelinePlan, sourceLimits: [String: SourceLimit] = [:], sharings: [String: SourceSharing] = [:], isTried: Bool = false,
        among pipelines: [PipelinePlan] = [], changedBy sends: [SendPlan] = [], redactor: Redactor = Redactor()
    ) {
        let facts = PipelineFacts(
            plan, sourceLimits: sourceLimits, sharings: sharings, isTried: isTried, among: pipelines, redactor: redactor)
        pipeline = plan.name
        signature = plan.signature(redactor)
        description = plan.description.map(redactor.redacted)
        order = plan.tiers.map(\.source.name)
        sections = [
            Section(
                id: "asking", title: "What is asked",
                sentences: facts.asking + facts.sentences(.combine) + facts.sentences(.links) + facts.sharedFlights),
            Section(id: "freshness", title: "When a copy answers", sentences: facts.freshness),
            Section(id: "stale", title: "When a stale copy is served", sentences: facts.staleness),
            Section(id: "live", title: "When something changes", sentences: facts.sentences(.live) + facts.sends(sends)),
            Section(id: "write_back", title: "What is written back", sentences: facts.sentences(.writeBack)),
            Section(
                id: "age", title: "How old a value can be",
                sentences: facts.ages + facts.ignoredAges + facts.partAges + facts.publishedAges + facts.foreignCopies),
            Section(id: "failure", title: "When a tier is down", sentences: facts.failures + facts.partFailures),
            Section(id: "time", title: "How long it can take", sentences: facts.times),
            Section(id: "not_found", title: "When there is no value", sentences: facts.absence),
        ].filter { !$0.sentences.isEmpty }
    }
}

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

/// Explanations as JSON, for programs.
package enum ExplanationJSON {
    package static func text(_ explanations: [Explanation], file: String) -> String {
        JSONText.object([("pipelines", .array(explanations.map { object($0, file: file) }))]).text + "\n"
    }

    private static func object(_ explanation: Explanation, file: String) -> JSONText {
        .object([
            ("name", .string(explanation.pipeline)),
            ("description", .optional(explanation.description)),
            ("order", .array(explanation.order.map(JSONText.string))),
            (
                "sections",
                .array(
                    explanation.sections.map { section in
                        .object([
                            ("id", .string(section.id)), ("title", .string(section.title)),
                            ("sentences", .array(section.sentences.map { sentence($0, file: file) })),
                        ])
                    })
            ),
        ])
    }

    private static func sentence(_ sentence: Explanation.Sentence, file: String) -> JSONText {
        .object([("text", .string(sentence.text)), ("decided_by", .array(sentence.grounds.map { ground($0, file: file) }))])
    }

    private static func ground(_ ground: Explanation.Ground, file: String) -> JSONText {
        switch ground {
        case .place(let range):
            .object([("file", .string(file)), ("line", .int(range.start.line)), ("column", .int(range.start.column))])
        case .byDefault: .string("default")
        case .order: .string("order")
        case .always: .string("always")
        }
    }
}
