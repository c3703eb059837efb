/// How often and how soon a failed read is tried again.
public struct RetryPolicy: Sendable, Hashable {
    /// All attempts, the first one counted.
    public let attempts: Int
    /// The wait before the second attempt; it doubles from one to the next.
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
