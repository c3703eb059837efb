internal import Pipeline

/// The rule for a second request that is sent because the first one takes longer than usual.
public struct HedgePolicy: Hashable, Sendable {
    /// The time to wait before the second request.
    public enum Delay: Hashable, Sendable {
        /// 1.2 times this quantile of the last 200 times to a head, from 20 of them on: `0.95` for `p95`.
        case quantile(Double)
        /// A fixed time.
        case fixed(Duration)
    }

    /// The time to wait before the second request.
    public var after: Delay
    /// The number of further requests, as a share of all, from 0 to 1.
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

/// The rule for when a second request is worth sending. Times are in seconds.
struct Hedging {
    private static let mostTokens = 10.0
    private static let judged = 50
    private static let pause = 300.0

    private(set) var sent = 0
    private(set) var wonCount = 0
    private var tokens = 0.0
    private var won: [Bool] = []
    private var next = 0
    private(set) var pausedUntil = -Double.infinity

    /// A request began that may be followed by a second one.
    mutating func add(_ policy: HedgePolicy) { tokens = min(Self.mostTokens, tokens + policy.budget) }

    /// The time the first request has alone, 2 ms at the least; nil for no second one.
    func delay(_ policy: HedgePolicy, heads: LatencyWindow, at now: Double) -> Double? {
        if now < pausedUntil { return nil }
        switch policy.after {
        case .fixed(let time): return Swift.max(0.002, time.seconds)
        case .quantile(let part):
            guard heads.count >= 20, let usual = heads.quantile(part) else { return nil }
            return Swift.max(0.002, min(1.2 * usual, policy.atMost?.seconds ?? .infinity))
        }
    }

    var hasToken: Bool { tokens > 1 - 1e-9 }

    /// Takes a second request from the budget.
    mutating func take() {
        tokens = Swift.max(0, tokens - 1)
        sent += 1
    }

    /// Notes which request was faster, the first or the second. Says whether hedging pauses from now on.
    mutating func decide(won isWon: Bool, at now: Double) -> Bool {
        if isWon { wonCount += 1 }
        if won.count < Self.judged {
            won.append(isWon)
        } else {
            won[next] = isWon
            next = (next + 1) % Self.judged
        }
        guard won.count == Self.judged, won.count(where: \.self) * 10 < Self.judged else { return false }
        won = []
        next = 0
        pausedUntil = now + Self.pause
        return true
    }
}
