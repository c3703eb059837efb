/// While one is not asked, and how it is asked again: one request, then from 1 by doubling. Times are in seconds.
struct OriginRest {
    private static let longest = 3_600.0
    private static let longestUnasked = 60.0
    /// So many refusals in a row that name no time begin a rest.
    private static let patience = 3

    /// The end of the last rest.
    private(set) var until = -Double.infinity
    /// The status of the answer that began it; nil where it was no refusal.
    private(set) var status: Int?
    /// Whether the origin named the time.
    private(set) var isNamed = false
    /// How many requests may be under way after a rest; nil without a bound.
    private(set) var allowed: Int?
    /// The refusals since the last good answer.
    private var row = 0
    private var pauses = 0
    /// How many requests ended well since ``allowed`` grew.
    private var ended = 0

    /// The answer was 429 or 503.
    ///
    /// - Parameters:
    ///   - status: what it was.
    ///   - sent: when the request began: one from before the rest says nothing new, unless it names a later time.
    ///   - time: what `Retry-After` says.
    ///   - jitter: from 0 to 1.
    mutating func refuse(_ status: Int, sent: Double, asking time: Double?, jitter: Double, at now: Double) {
        guard time != nil || sent >= until else { return }
        row += 1
        if let time { return rest(until: now + Swift.max(0, time), after: status, isNamed: true, at: now) }
        guard row >= Self.patience else { return }
        let pause = min(Self.longestUnasked, Double(1 << min(pauses, 6))) * (0.5 + jitter)
        pauses += 1
        rest(until: now + pause, after: status, at: now)
    }

    /// Nothing is asked before this time.
    mutating func rest(until end: Double, after status: Int? = nil, isNamed: Bool = false, at now: Double) {
        if end > until { (self.status, self.isNamed) = (status, isNamed) }
        until = Swift.max(until, min(end, now + Self.longest))
        allowed = 1
        ended = 0
    }

    /// A request ended well.
    mutating func end(sent: Double, limit: Int) {
        guard sent >= until else { return }
        row = 0
        guard let allowed else { return pauses = 0 }
        ended += 1
        guard ended >= allowed else { return }
        ended = 0
        self.allowed = 2 * allowed
        if 2 * allowed >= limit { (self.allowed, pauses) = (nil, 0) }
    }

    /// Whether nothing is left of it: no rest, and nothing to be careful about.
    func isOver(at now: Double) -> Bool { now >= until && allowed == nil && row == 0 && pauses == 0 }
}
