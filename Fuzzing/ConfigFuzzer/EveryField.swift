internal import Pipeline
import PipelineConfig

/// A plugin with a field of each kind.
enum EveryField {
    static let plugin = SourcePlugin(
        "every", summary: "Has a field of each kind.", capabilities: [.neverMisses],
        fields: Field("count", default: 3, range: 1...1_000, "An integer."),
        Field("yes", default: false, "A bool."),
        Field("time", default: Duration?.none, range: Duration.milliseconds(1)..., "A duration.").role(.timeLimit),
        Field("size", default: Size.mebibytes(1), range: Size(bytes: 1)..., "A size."),
        Field("share", default: Ratio?.none, "A ratio."),
        Field("url", default: URLTemplate?.none, "A URL template."),
        Field("file", default: PathTemplate?.none, "A path template."),
        Field("word", default: ErrorPolicy?.none, "A choice."),
        Field("body", default: TextTemplate?.none, "A template."),
        Field("secret", default: SecretTemplate?.none, "A secret."),
        Field("headers", default: FieldMap<SecretTemplate>(), "A map of secrets."),
        Field("list", default: [String](), "A list."),
        Field("lists", default: FieldMap<[Duration]>(), "A map of lists."),
        Field("again", default: RetryPolicy?.none, "A mapping with fields."),
        Field("old", default: String?.none, "A field that another replaces.").deprecated(use: "list"),
        Field<String>("name", "A text that must be given.", example: "x").checked { $0.isEmpty ? "a text" : nil }
    ) { _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ in
        Nothing()
    }

    private struct Nothing: Source {
        func read(_ key: Key) async throws -> Entry? { nil }
    }
}
