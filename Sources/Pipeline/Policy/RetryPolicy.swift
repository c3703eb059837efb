/// How often and how soon a failed read is tried again.
public struct RetryPolicy: Sendable, Hashable {
    /// All attempts, the first one counted.
    package let attempts: Int
    /// The longest wait before the second attempt: each wait is random. It doubles with each further attempt.
    package let base: Duration
    /// The longest random wait. A server that asks for a longer one gets it.
    package let max: Duration

    /// A policy of `attempts` reads in all.
    ///
    /// - Parameters:
    ///   - attempts: all attempts, the first one counted.
    ///   - base: the longest wait before the second attempt: each wait is random. It doubles with each further attempt.
    ///   - max: the longest random wait. A server that asks for a longer one gets it.
    public init(attempts: Int, base: Duration = .seconds(1), max: Duration = .seconds(30)) {
        self.attempts = attempts
        self.base = base
        self.max = max
    }

    /// The longest wait before the attempt after `failures` failed ones.
    ///
    /// - Parameter least: what the first wait is at least, where ``base`` is shorter.
    package func delay(after failures: Int, base least: Duration = .zero) -> Duration {
        let doublings = min(failures - 1, 40)
        let factor = Int64(1) << Int64(doublings)
        let (product, overflow) = Swift.max(base, least).saturatedNanoseconds.multipliedReportingOverflow(by: factor)
        return overflow ? max : min(.nanoseconds(product), max)
    }
}
