/// The rests at one origin: of those that were told so, and of the origin itself. Times are in seconds.
///
/// A request for a value that is not needed is held back by what any request was refused, and one for a value that is needed by what such
/// requests were refused: a part that a composite can do without takes nothing from those that it needs.
struct OriginRests {
    /// A place that rests.
    enum Place: Hashable {
        /// The source with its credentials.
        case asker(RequestAsker)
        /// All that ask the origin, or those alone whose values are not needed.
        case origin(isOptional: Bool)
    }

    /// A rest that holds back a request.
    struct Hold {
        let until: Double
        /// The status that began it; nil if the origin named its time.
        let status: Int?
    }

    /// The most rests that are kept: a server can see more tokens than anyone wants to remember.
    private static let most = 1_024
    /// The time for which a host that sent one away answers nothing else, before all of it rests.
    static let silence = 10.0

    private var known: [Place: OriginRest] = [:]
    /// The moment when the origin answered 503 last, to which source, and whether requests of others have got no answer since; nil after
    /// any other answer.
    private var silent: (since: Double, source: String, isAsked: Bool)?

    /// The number of requests that may be under way after a rest of all of the origin.
    var allowed: Int? { known.isEmpty ? nil : known[.origin(isOptional: false)]?.allowed }

    /// The end of the rest of all of the origin; nil if it does not rest.
    func originEnd(at now: Double) -> Double? { known[.origin(isOptional: false)].flatMap { $0.until > now ? $0.until : nil } }

    /// The longest rest that holds back a request of `asker`.
    func hold(of asker: RequestAsker, at now: Double) -> Hold? {
        if known.isEmpty { return nil }
        let rests = Self.places(of: asker).compactMap { known[$0] }.filter { $0.until > now }
        return rests.max { $0.until < $1.until }.map { Hold(until: $0.until, status: $0.isNamed ? nil : $0.status) }
    }

    /// The number of requests of each place that holds `asker` that may be under way after its rest; the rest of all of the origin aside.
    func bounds(of asker: RequestAsker) -> [(place: Place, allowed: Int)] {
        if known.isEmpty { return [] }
        return Self.places(of: asker).dropFirst().compactMap { place in known[place]?.allowed.map { (place, $0) } }
    }

    /// The ends of the rests of sources, of each the last one.
    func sources(at now: Double) -> [String: Double] {
        var ends: [String: Double] = [:]
        for (place, rest) in known where rest.until > now {
            if case .asker(let asker) = place { ends[asker.source] = Swift.max(ends[asker.source] ?? now, rest.until) }
        }
        return ends
    }

    /// The end of a rest.
    func end(of place: Place) -> Double? { known[place]?.until }

    /// Indicates whether the origin has answered nothing but 503 for as long as a host may.
    func isSilent(at now: Double) -> Bool { silent.map { now - $0.since >= Self.silence } ?? false }

    /// The number of places that rest.
    func count(at now: Double) -> Int { known.values.count { $0.until > now } }

    /// The places of `asker`, the one for all of the origin first.
    private static func places(of asker: RequestAsker) -> [Place] {
        let all = [Place.origin(isOptional: false), .asker(asker.required)]
        return asker.isOptional ? all + [.origin(isOptional: true), .asker(asker)] : all
    }
}

// MARK: - What happens

extension OriginRests {
    /// A request got 429 or 503. Returns what rests since then.
    ///
    /// - Parameters:
    ///   - kind: who rests because of that.
    ///   - refusal: what ``OriginRest/refuse(_:sent:asking:jitter:at:)`` takes.
    mutating func refuse(
        _ asker: RequestAsker, _ kind: OriginLimits.Rest, _ status: Int, sent: Double, asking time: Double?, jitter: Double,
        at now: Double
    ) -> [Place] {
        let place: Place
        switch kind {
        case .none: return []
        case .origin: place = .origin(isOptional: asker.isOptional)
        case .source: place = .asker(asker)
        }
        let rested = change(place, at: now) { $0.refuse(status, sent: sent, asking: time, jitter: jitter, at: now) }
        guard kind == .source, status == 503 else { return rested }
        if silent == nil { silent = (now, asker.source, false) }
        if silent?.source != asker.source { silent?.isAsked = true }
        return rested + restOrigin(at: now)
    }

    /// Notes that the origin says in an answer to `asker` that nothing is left for it before `end`.
    mutating func rest(_ asker: RequestAsker, _ kind: OriginLimits.Rest, until end: Double, at now: Double) -> [Place] {
        switch kind {
        case .none: []
        case .origin: rest(.origin(isOptional: asker.isOptional), until: end, at: now)
        case .source: rest(.asker(asker), until: end, at: now)
        }
    }

    /// Lets nothing of this place be asked before `end`.
    mutating func rest(_ place: Place, until end: Double, at now: Double) -> [Place] {
        change(place, at: now) { $0.rest(until: end, isNamed: true, at: now) }
    }

    /// The origin answered something else than 503.
    mutating func answered() { silent = nil }

    /// A request got no answer. Returns what rests since then.
    mutating func lost(at now: Double) -> [Place] {
        guard silent != nil else { return [] }
        silent?.isAsked = true
        return restOrigin(at: now)
    }

    /// Notes a request that ended well.
    mutating func end(_ asker: RequestAsker, sent: Double, limit: Int, at now: Double) {
        if known.isEmpty { return }
        for place in Self.places(of: asker) {
            guard var rest = known[place] else { continue }
            rest.end(sent: sent, limit: limit)
            known[place] = rest.isOver(at: now) ? nil : rest
        }
    }

    /// Lets all of the origin rest for the shortest time of its sources when two of them rest after a 503, or one and all others get no
    /// answer.
    ///
    /// - Parameter isSilent: whether a request has had no answer for as long as a host may be silent.
    mutating func restOrigin(isSilent: Bool = false, at now: Double) -> [Place] {
        if known.isEmpty { return [] }
        var rested: [Place] = []
        for isOptional in [false, true] {
            // The ends of the sources that rest, of each the first one.
            var ends: [String: OriginRest] = [:]
            for case (.asker(let asker), let rest) in known where rest.status == 503 && rest.until > now {
                guard isOptional || !asker.isOptional, rest.until < ends[asker.source]?.until ?? .infinity else { continue }
                ends[asker.source] = rest
            }
            // One that all requests wait for need not rest a second time.
            if isOptional, (originEnd(at: now) ?? now) >= ends.values.map(\.until).min() ?? .infinity { continue }
            let isDead = self.isSilent(at: now) && (silent?.isAsked ?? false || isSilent)
            guard ends.count >= 2 || isDead, let first = ends.values.min(by: { $0.until < $1.until }) else { continue }
            rested += change(.origin(isOptional: isOptional), at: now) {
                if $0.until < first.until { $0.rest(until: first.until, after: 503, isNamed: first.isNamed, at: now) }
            }
        }
        // While it rests it answers nothing because it is not asked.
        if !rested.isEmpty { silent = nil }
        return rested
    }

    /// Forgets what ended before `time`.
    mutating func forget(before time: Double) { known = known.filter { $0.value.until > time } }

    /// Changes the rest of a place, and returns the place where it rests longer than before.
    private mutating func change(_ place: Place, at now: Double, _ body: (inout OriginRest) -> Void) -> [Place] {
        var rest = known[place] ?? OriginRest()
        let before = rest.until
        body(&rest)
        if known[place] == nil { makeRoom(at: now) }
        known[place] = rest
        return rest.until > Swift.max(before, now) ? [place] : []
    }

    /// The rests that ended are forgotten first, then the one that ends first.
    private mutating func makeRoom(at now: Double) {
        guard known.count >= Self.most else { return }
        known = known.filter { $0.key.source == nil || $0.value.until > now }
        while known.count >= Self.most {
            guard let first = known.filter({ $0.key.source != nil }).min(by: { $0.value.until < $1.value.until }) else { return }
            known[first.key] = nil
        }
    }
}

extension OriginRests.Place {
    /// Indicates whether it holds requests of `asker`.
    func holds(_ asker: RequestAsker) -> Bool {
        switch self {
        case .origin(let isOptional): !isOptional || asker.isOptional
        case .asker(let other): other == asker || other == asker.required
        }
    }

    /// The source that rests; nil for the origin.
    var source: String? { if case .asker(let asker) = self { asker.source } else { nil } }
}

/// The rest of one place, and its end: one request, then from 1 by doubling. Times are in seconds.
struct OriginRest {
    private static let longest = 3_600.0
    private static let longestUnasked = 60.0
    /// The number of refusals in a row that name no time with which a rest begins.
    private static let patience = 3

    /// The end of the last rest.
    private(set) var until = -Double.infinity
    /// The status of the answer that began it; nil if it was no refusal.
    private(set) var status: Int?
    /// Indicates whether the origin named the time.
    private(set) var isNamed = false
    /// The number of requests that may be under way after a rest; nil without a bound.
    private(set) var allowed: Int?
    /// The refusals since the last good answer.
    private var row = 0
    private var pauses = 0
    /// The number of requests that ended well since ``allowed`` grew.
    private var ended = 0

    /// Notes an answer of 429 or 503.
    ///
    /// - Parameters:
    ///   - status: the status of the answer.
    ///   - sent: the moment when the request began: one from before the rest says nothing new, unless it names a later time.
    ///   - time: the time that `Retry-After` names.
    ///   - jitter: a random number from 0 to 1.
    mutating func refuse(_ status: Int, sent: Double, asking time: Double?, jitter: Double, at now: Double) {
        guard time != nil || sent >= until else { return }
        row += 1
        if let time { return rest(until: now + Swift.max(0, time), after: status, isNamed: true, at: now) }
        guard row >= Self.patience else { return }
        let pause = min(Self.longestUnasked, Double(1 << min(pauses, 6))) * (0.5 + jitter)
        pauses += 1
        rest(until: now + pause, after: status, at: now)
    }

    /// Lets nothing be asked before this time.
    mutating func rest(until end: Double, after status: Int? = nil, isNamed: Bool = false, at now: Double) {
        if end > until { (self.status, self.isNamed) = (status, isNamed) }
        until = Swift.max(until, min(end, now + Self.longest))
        allowed = 1
        ended = 0
    }

    /// Notes a request that ended well.
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

    /// Indicates whether nothing is left of it: no rest, and nothing to be careful about.
    func isOver(at now: Double) -> Bool { now >= until && allowed == nil && row == 0 && pauses == 0 }
}
