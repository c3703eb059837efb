/// While an origin is not asked, and how it is asked again: one request, then from 1 by doubling. Times are in seconds.
struct OriginRest {
    private static let longest = 3_600.0
    private static let longestUnasked = 60.0

    /// The end of the last rest.
    private(set) var until = -Double.infinity
    /// The status because of which it rests; nil where the origin named a time.
    private(set) var status: Int?
    /// How many requests may be under way after a rest; nil without a bound.
    private(set) var allowed: Int?
    private var pushBacks = 0
    /// How many requests ended well since ``allowed`` grew.
    private var ended = 0

    /// How long the origin still rests; nil when it does not.
    func left(at now: Double) -> Double? { now < until ? until - now : nil }

    /// The origin answered 429 or 503.
    ///
    /// - Parameters:
    ///   - status: what it answered.
    ///   - sent: when the request began: one from before the rest says nothing new, unless it names a later time.
    ///   - time: what `Retry-After` says.
    ///   - jitter: from 0 to 1.
    mutating func pushBack(_ status: Int, sent: Double, asking time: Double?, jitter: Double, at now: Double) {
        if let time { return rest(until: now + min(Self.longest, Swift.max(0, time)), at: now) }
        guard sent >= until else { return }
        let pause = min(Self.longestUnasked, Double(1 << min(pushBacks, 6))) * (0.5 + jitter)
        pushBacks += 1
        rest(until: now + pause, after: status, at: now)
    }

    /// The origin is not asked before this time.
    mutating func rest(until end: Double, after status: Int? = nil, at now: Double) {
        if end > until { self.status = status }
        until = Swift.max(until, min(end, now + Self.longest))
        allowed = 1
        ended = 0
    }

    /// A request ended well.
    mutating func end(sent: Double, limit: Int) {
        guard let allowed, sent >= until else { return }
        ended += 1
        guard ended >= allowed else { return }
        ended = 0
        self.allowed = 2 * allowed
        if 2 * allowed >= limit { forget() }
    }

    /// Nothing is known of the origin any more but the end of its rest.
    mutating func forget() {
        allowed = nil
        pushBacks = 0
        ended = 0
    }
}
