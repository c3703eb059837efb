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

    /// `{ base: 1s, max: 30s }`
    public var written: String? { "{ base: \(base.spelling), max: \(max.spelling) }" }
}
