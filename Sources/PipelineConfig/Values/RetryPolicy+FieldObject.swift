public import Pipeline

extension RetryPolicy: FieldObject {
    /// `a retry policy`
    public static var noun: String { "a retry policy" }

    /// `attempts`, `base` and `max`.
    public static let fields = FieldGroup(
        Field("attempts", default: 3, range: 1...100, "The number of attempts, including the first."),
        Field(
            "base", default: Duration.seconds(1),
            "The longest wait before the second attempt; each wait is random. It doubles with each further attempt, up to `max`. After the statuses 429 and 503 it counts as at least 1 s."
        ),
        Field("max", default: Duration.seconds(30), "The longest random wait. A server that asks for a longer one (`Retry-After`) gets it.")
    ) { attempts, base, max in
        RetryPolicy(attempts: attempts, base: base, max: max)
    }
}
