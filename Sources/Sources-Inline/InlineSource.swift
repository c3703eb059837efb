public import Pipeline
public import PipelineConfig

/// An origin whose value stands in the configuration itself: the same for every key, and always there.
public struct InlineSource: Source {
    /// The value as text, which sources of one value share: a file may name it many times.
    private let text: String
    private let contentType: String
    private let clock: PipelineClock

    /// An origin that gives `text`.
    ///
    /// - Parameter contentType: the media type that its entries have.
    public init(_ text: String, contentType: String = "text/plain; charset=utf-8", clock: PipelineClock = .system) {
        self.text = text
        self.contentType = contentType
        self.clock = clock
    }

    /// `ReadStyle.immediate`.
    public var style: ReadStyle { .immediate }

    /// The entry that ``peek(_:)`` gives.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { peek(key) }

    /// The text, created now and fresh without a limit.
    public func peek(_ key: Key) -> Entry? {
        Entry(Array(text.utf8), created: clock.now, contentType: contentType)
    }
}

extension InlineSource {
    /// Answers that the source is reachable: there is nothing to reach.
    public func check() async throws -> Reachability { .reachable }
}

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
