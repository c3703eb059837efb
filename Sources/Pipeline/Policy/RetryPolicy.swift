/// How often and how soon a failed read is tried again.
public struct RetryPolicy: Sendable, Hashable {
    /// All attempts, the first one counted.
    public let attempts: Int
    /// The wait before the second attempt. It doubles with each further attempt.
    public let base: Duration
    /// The longest wait.
    public let max: Duration

    /// A policy of `attempts` reads in all.
    public init(attempts: Int, base: Duration = .seconds(1), max: Duration = .seconds(30)) {
        self.attempts = attempts
        self.base = base
        self.max = max
    }

    /// The wait before the attempt after `failures` failed ones.
    func delay(after failures: Int) -> Duration {
        let doublings = min(failures - 1, 40)
        let factor = Int64(1) << Int64(doublings)
        let (product, overflow) = base.saturatedNanoseconds.multipliedReportingOverflow(by: factor)
        return overflow ? max : min(.nanoseconds(product), max)
    }
}

extension RetryPolicy: FieldObject {
    /// `a retry policy`
    public static var noun: String { "a retry policy" }

    /// `attempts`, `base` and `max`.
    public static let fields = FieldGroup(
        Field("attempts", default: 3, range: 1...100, "The number of attempts, including the first."),
        Field("base", default: Duration.seconds(1), "The wait before the second attempt. It doubles with each further attempt."),
        Field("max", default: Duration.seconds(30), "The longest wait between two attempts.")
    ) { attempts, base, max in
        RetryPolicy(attempts: attempts, base: base, max: max)
    }
}
