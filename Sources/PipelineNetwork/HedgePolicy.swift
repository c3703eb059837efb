/// When a second request is sent because the first one takes longer than usual.
public struct HedgePolicy: Hashable, Sendable {
    /// How long to wait before the second request.
    public enum Delay: Hashable, Sendable {
        /// 1.2 times this quantile of the last 200 times to a head, from 20 of them on: `0.95` for `p95`.
        case quantile(Double)
        /// This time.
        case fixed(Duration)
    }

    /// How long to wait before the second request.
    public var after: Delay
    /// How many more requests there may be, as a share of all, from 0 to 1.
    public var budget: Double
    /// The longest time that the first request has alone, where ``after`` is a quantile.
    public var atMost: Duration?

    /// A second request after `after`, for at most the share `budget` of all requests.
    public init(after: Delay = .quantile(0.95), budget: Double = 0.05, atMost: Duration? = nil) {
        self.after = after
        self.budget = budget
        self.atMost = atMost
    }
}
