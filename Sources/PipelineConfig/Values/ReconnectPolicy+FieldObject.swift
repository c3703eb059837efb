public import Pipeline

extension ReconnectPolicy: FieldObject {
    /// `a reconnect policy`
    public static var noun: String { "a reconnect policy" }

    /// `base` and `max`.
    public static let fields = FieldGroup(
        Field(
            "base", default: Duration.seconds(1), range: Duration.milliseconds(100)...,
            "The longest first pause. It doubles with each further failure."),
        Field("max", default: Duration.seconds(30), range: Duration.milliseconds(100)..., "The longest pause.")
    ) { base, max in
        ReconnectPolicy(base: base, max: max)
    }

    /// A first pause above the longest one is a contradiction. That of the default gives way, also where `pipe-run config` has written it out.
    public static func check(_ value: ReconnectPolicy, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard value.base > value.max, value.base != ReconnectPolicy().base, let base = members.last(where: { $0.key == "base" }) else {
            return
        }
        let isMaxGiven = members.contains { $0.key == "max" }
        decoder.fieldName = "base"
        decoder.places.withValue(of: base) { node in
            decoder.report(
                .outOfRange,
                "\(decoder.quoted(node)) is out of range for `base`: the first pause is longer than `max`, "
                    + "\(isMaxGiven ? "which is" : "by default") \(value.max.spelling)",
                at: node, help: "make `base` shorter than \(value.max.spelling), or `max` longer")
        }
    }

    /// `{ base: 1s, max: 30s }`
    public var written: String? { "{ base: \(base.spelling), max: \(max.spelling) }" }
}
