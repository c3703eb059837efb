internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: inline`.
    public static let inline = SourcePlugin(
        origin: "inline", summary: "Returns a value written in the configuration file.",
        capabilities: [.alwaysAnswers, .neverMisses, .answersAtOnce],
        alternatives: ["value", "text"],
        fields: Field(
            "value", default: JSONValue?.none,
            "The value, returned as JSON. Text without quotes becomes a number, a bool or null where YAML reads it as one.",
            example: "{ friends: [] }"),
        Field(
            "text", default: String?.none, "The value as plain text, returned exactly as written. Braces do not name parameters.",
            example: "hello")
    ) { context, value, text in
        if let value {
            InlineSource(value.text, contentType: "application/json", clock: context.clock)
        } else {
            InlineSource(text ?? "", clock: context.clock)
        }
    }
}
