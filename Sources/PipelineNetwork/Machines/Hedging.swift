internal import Pipeline

/// When a second request is worth sending. Times are in seconds.
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

    /// How long the first request has alone, 2 ms at the least; nil for no second one.
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

    /// A second request begins.
    mutating func take() {
        tokens = Swift.max(0, tokens - 1)
        sent += 1
    }

    /// The first or the second was faster. Says whether hedging pauses from now on.
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
