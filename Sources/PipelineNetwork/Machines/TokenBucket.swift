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

    /// The moment when the next token is there, or the one after so many others.
    mutating func nextToken(after others: Int = 0, at now: Double) -> Double {
        fill(at: now)
        return now + max(0, Double(others) + 1 - tokens) / rate
    }

    private mutating func fill(at now: Double) {
        tokens = min(burst, tokens + max(0, now - filled) * rate)
        filled = max(filled, now)
    }
}

/// The number of retries and hedges that an origin bears: 5, and a part of one more for each request that did not fail. Time gives nothing,
/// so that an outage is not made worse by those who wait for its end. A part of 0 allows none.
struct RetryBudget {
    private static let reserve = 5.0

    var part: Double
    private var saved = reserve

    init(part: Double) { self.part = part }

    var tokens: Double { part > 0 ? saved : 0 }

    // Five parts of 0.2 are not quite 1.
    var hasToken: Bool { tokens > 1 - 1e-9 }

    mutating func add() { saved = min(Self.reserve, saved + part) }

    mutating func take() -> Bool {
        guard hasToken else { return false }
        saved = max(0, saved - 1)
        return true
    }

    /// Gives back a token that was taken and is not needed.
    mutating func giveBack() { saved = min(Self.reserve, saved + 1) }
}
