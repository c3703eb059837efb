public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: inline`.
    public static let inline = SourcePlugin(
        "inline", summary: "Gives a value that is written in the file itself.",
        capabilities: [.alwaysAnswers, .neverMisses, .answersAtOnce],
        alternatives: ["value", "text"],
        fields: Field(
            "value", default: JSONValue?.none,
            "The value, given as JSON: what has no quotes is a number, a bool or null where YAML takes it for one.",
            example: "{ friends: [] }"),
        Field("text", default: String?.none, "The value as plain text, given as it is written: braces are no parameters.", example: "hello")
    ) { context, value, text in
        if let value {
            InlineSource(value.text, contentType: "application/json", clock: context.clock)
        } else {
            InlineSource(text ?? "", clock: context.clock)
        }
    }
}
