/// A rate with bursts: `burst` tokens that come back at `rate` a second. Times are in seconds.
struct TokenBucket {
    private(set) var rate: Double
    private var burst: Double
    private var tokens: Double
    private var filled: Double

    init(rate: Double, burst: Int, at now: Double) {
        self.rate = rate
        self.burst = Double(max(1, burst))
        tokens = self.burst
        filled = now
    }

    /// Changes the rate; tokens that were not taken stay.
    mutating func limit(rate: Double, burst: Int, at now: Double) {
        fill(at: now)
        self.rate = rate
        self.burst = Double(max(1, burst))
        tokens = min(tokens, self.burst)
    }

    /// Takes a token, where there is one.
    mutating func take(at now: Double) -> Bool {
        guard isFilled(at: now) else { return false }
        tokens = max(0, tokens - 1)
        return true
    }

    mutating func isFilled(at now: Double) -> Bool {
        fill(at: now)
        // A clock counts nanoseconds: what is missing of the token that was waited for is less than one of them.
        return tokens >= 1 - rate * 1e-8 - 1e-9
    }

    /// When the next token is there, or the one after so many others.
    mutating func nextToken(after others: Int = 0, at now: Double) -> Double {
        fill(at: now)
        return now + max(0, Double(others) + 1 - tokens) / rate
    }

    private mutating func fill(at now: Double) {
        tokens = min(burst, tokens + max(0, now - filled) * rate)
        filled = max(filled, now)
    }
}
