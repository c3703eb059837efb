/// How many retries and hedges an origin bears: 5, and a part of one more for each request that did not fail. Time gives nothing, so that
/// an outage is not made worse by those who wait for its end. A part of 0 allows none.
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

    /// What was taken is not needed.
    mutating func giveBack() { saved = min(Self.reserve, saved + 1) }
}
