public import Pipeline

extension RetryPolicy: FieldObject {
    /// `a retry policy`
    public static var noun: String { "a retry policy" }

    /// `attempts`, `base` and `max`.
    public static let fields = FieldGroup(
        Field("attempts", default: 3, range: 1...100, "How often a read is tried in all."),
        Field("base", default: Duration.seconds(1), "The wait before the second attempt; it doubles from one to the next."),
        Field("max", default: Duration.seconds(30), "The longest wait between two attempts.")
    ) { attempts, base, max in
        RetryPolicy(attempts: attempts, base: base, max: max)
    }
}
