/// How many retries and hedges an origin bears: 5, and a part of one more for each request that did not fail. Time gives nothing, so that
/// an outage is not made worse by those who wait for its end.
struct RetryBudget {
    private static let reserve = 5.0

    var part: Double
    private(set) var tokens = reserve

    init(part: Double) { self.part = part }

    mutating func add() { tokens = min(Self.reserve, tokens + part) }

    mutating func take() -> Bool {
        // Five parts of 0.2 are not quite 1.
        guard tokens > 1 - 1e-9 else { return false }
        tokens = max(0, tokens - 1)
        return true
    }

    var hasToken: Bool { tokens > 1 - 1e-9 }
}
