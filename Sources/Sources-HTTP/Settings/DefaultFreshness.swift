internal import Pipeline
public import PipelineConfig

/// The time for which copies of an answer are fresh that says nothing about it.
public enum DefaultFreshness: Sendable, Hashable {
    /// A fixed time.
    case fixed(Duration)
    /// A tenth of the time since the value changed last, at most a day (RFC 9111, section 4.2.2).
    case heuristic
}

extension DefaultFreshness: FieldValue {
    private static let word = "heuristic"

    /// A duration, or `heuristic`.
    public static var fieldType: FieldType { .either([.duration, .choice([word])]) }

    /// The duration or the word written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> DefaultFreshness? {
        guard let text = decoder.text(of: node, expecting: "a duration or `\(word)`") else { return nil }
        if text == word { return .heuristic }
        if NearestName.find(text, among: [word]) != nil {
            decoder.report(
                .malformed, "malformed value `\(text.prefix(60))` for `\(decoder.fieldName)`: expected a duration or `\(word)`", at: node,
                help: "did you mean `\(word)`?")
            return nil
        }
        return Duration.decode(node, with: decoder).map(DefaultFreshness.fixed)
    }

    /// The duration or the word.
    public var written: String? {
        switch self {
        case .fixed(let duration): duration.written
        case .heuristic: Self.word
        }
    }
}

/// The rule for how long copies of an answer are fresh.
public enum Caching: String, FieldChoice {
    /// The server's word, for a cache of a single user.
    case headers
    /// Another name of ``headers``.
    case `private`
    /// The server's word, for a cache that several users share.
    case shared
    /// The `ttl` of each tier alone.
    case none
}
