/// How long a copy stays fresh in one cache.
public enum TimeToLive: Sendable, Hashable {
    /// As long as the entry it was made from.
    case none
    /// At most this long.
    case limited(Duration)

    /// The limit, or nil without one.
    public var limit: Duration? {
        if case .limited(let duration) = self { duration } else { nil }
    }
}

extension TimeToLive: FieldValue {
    /// A duration, or `none`.
    public static var fieldType: FieldType { .either([.duration, .choice(["none"])]) }

    /// A duration, or `none`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TimeToLive? {
        let isNone = decoder.withTarget(of: node) { if case .scalar(let scalar) = $0.content { scalar.text == "none" } else { false } }
        return isNone ? TimeToLive.none : Duration.decode(node, with: decoder).map(TimeToLive.limited)
    }

    /// The duration, or `none`.
    public var written: String? { limit.map { $0.written } ?? "none" }
}
