import Pipeline
import PipelineConfig

/// A plugin with fields of all types, bounds and defaults that there are.
enum EveryType {
    static let plugin = SourcePlugin(
        "every", summary: "Has fields of every type.",
        fields: Field<Text>("title", "A text that must be there.", example: "'some words'"),
        Field("count", default: 3, range: 1...9, "A number of few."),
        Field("below", default: Int?.none, range: ...(-1), "A number below zero."),
        Field("any_count", default: 0, "Any number."),
        Field("switch", default: true, "A bool."),
        Field("grace", default: Duration.zero, "A duration.", example: "1h30m"),
        Field("limit", default: Duration.seconds(1), range: .nanoseconds(1)..., "A duration that is not nothing."),
        Field("room", default: Size.mebibytes(1), "A size."),
        Field("some_room", default: Size?.none, range: Size(bytes: 1)..., "A size that is not nothing."),
        Field("part", default: Ratio(0.5), range: Ratio(0)...Ratio(1), "A ratio."),
        Field("inner_part", default: Ratio?.none, range: OpenRange(after: Ratio(0), before: Ratio(1)), "A ratio inside."),
        Field("any_part", default: Ratio(2), "Any ratio."),
        Field("words", default: [String](), "A list.", example: "[a, b]"),
        Field("times", default: [[Duration]](), "A list of lists."),
        Field("level", default: Level.low, "A choice.", example: "high"),
        Field("names", default: FieldMap<Int>(), "A map.", example: "{ a: 1 }"),
        Field("secret", default: SecretTemplate?.none, "A secret.", example: "\"${TOKEN}\""),
        Field("where", default: URLTemplate?.none, "A URL.", example: "redis://localhost"),
        Field("retries", default: RetryPolicy?.none, "A mapping."),
        Field("old_limit", default: Duration?.none, "A field of former times.").deprecated(use: "limit")
    ) { (_, _: Text, _, _, _, _, _, _, _, _, _, _, _, _, _, _: Level, _, _, _, _, _) -> any Source in Nothing() }

    typealias Text = String

    /// A choice, with a word that is a number to YAML.
    enum Level: String, FieldChoice {
        case low
        case high
        case five = "5"
        case half = "0.5"
    }

    private struct Nothing: Source {
        func read(_ key: Key) async throws -> Entry? { nil }
    }
}
