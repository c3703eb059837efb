internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

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
