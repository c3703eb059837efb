public import Pipeline

extension RetryPolicy: FieldObject {
    /// `a retry policy`
    public static var noun: String { "a retry policy" }

    /// `attempts`, `base` and `max`.
    public static let fields = FieldGroup(
        Field("attempts", default: 3, range: 1...100, "The number of attempts, including the first."),
        Field(
            "base", default: Duration.seconds(1),
            "The longest wait before the second attempt; each wait is random. It doubles with each further attempt, and is at least 1 s after the statuses 429 and 503."
        ),
        Field("max", default: Duration.seconds(30), "The longest wait between two attempts.")
    ) { attempts, base, max in
        RetryPolicy(attempts: attempts, base: base, max: max)
    }
}
