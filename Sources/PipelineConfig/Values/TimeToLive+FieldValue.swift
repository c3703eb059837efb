internal import Pipeline

extension TimeToLive: FieldValue {
    /// A duration, or `none`.
    public static var fieldType: FieldType { .either([.duration, .choice(["none"])]) }

    /// A duration, or `none`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TimeToLive? {
        let word = decoder.places.withTarget(of: node) { if case .scalar(let scalar) = $0.content { scalar.text } else { "" } }
        if word == "none" { return TimeToLive.none }
        if endless.contains(word.lowercased()) {
            decoder.report(
                .malformed, "malformed value `\(word)` for `\(decoder.fieldName)`: expected a duration, as `30s` or `10m`, or `none`",
                at: node,
                help: "write `\(decoder.fieldName): none` for copies that never expire")
            return nil
        }
        return Duration.decode(node, with: decoder).map(TimeToLive.limited)
    }

    /// What others write for `none`.
    static let endless: Set<String> = [
        "forever", "never", "infinite", "infinity", "inf", ".inf", "unlimited", "eternal", "always", "off", "false", "-1",
    ]

    /// The duration, or `none`.
    public var written: String? { limit.map { $0.written } ?? "none" }
}
