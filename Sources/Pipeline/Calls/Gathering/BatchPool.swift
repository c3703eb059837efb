/// Keys that wait to be read with one call, as a pure machine: says which calls are due.
struct BatchPool<Waiting: Sendable>: Sendable {
    private struct Place {
        let waiting: Waiting
        let since: Timestamp
        let deadline: Timestamp?

        /// When its call must begin at the latest: half of its time is for the call.
        var latest: Timestamp? {
            deadline.map { since + max(.zero, $0.duration(since: since)) / 2 }
        }
    }

    private let most: Int
    private let window: Duration
    private var places: [Place] = []

    /// - Parameters:
    ///   - most: the most of one call.
    ///   - window: how long the first one waits for others; less where one of them would have less than half of its time left then.
    init(most: Int, window: Duration) {
        self.most = most
        self.window = window
    }

    var isEmpty: Bool { places.isEmpty }

    /// When to look again; nil where nothing waits.
    ///
    /// That is the end of the window, which begins with the first one, or earlier the moment at which half of the time is over that one of them
    /// had when it came: what it then has left is for the call.
    var wakes: Timestamp? {
        guard let first = places.first else { return nil }
        return places.reduce(first.since + window) { min($0, $1.latest ?? $0) }
    }

    mutating func add(_ waiting: Waiting, at now: Timestamp, until deadline: Timestamp?) {
        places.append(Place(waiting: waiting, since: now, deadline: deadline))
    }

    mutating func remove(where isGone: (Waiting) -> Bool) {
        places.removeAll { isGone($0.waiting) }
    }

    /// Takes what is due: as many as make full calls, and the rest when it ``wakes``.
    mutating func due(at now: Timestamp) -> [[Waiting]] {
        var calls: [[Waiting]] = []
        while places.count >= most {
            calls.append(places.prefix(most).map(\.waiting))
            places.removeFirst(most)
        }
        guard let end = wakes, now >= end else { return calls }
        calls.append(places.map(\.waiting))
        places = []
        return calls
    }
}

extension Loader {
    /// Has each call of an origin wait for a permit, where the fetch that it is for bounds its calls.
    ///
    /// The wait is no time of the call that follows it. Where the tier tries several times, the time that all tries have together goes on
    /// meanwhile: it is less for the tries that come later.
    func takingTurns(on clock: PipelineClock) -> Loader {
        Loader(name) { call, trail, standing in
            guard let calls = call.part?.bounds.calls else { return try await load(call, trail, standing) }
            let begin = clock.now
            do {
                try await calls.take(until: call.deadline, on: clock)
            } catch is PastLimit {
                return lateTurn(of: call, after: clock.now.duration(since: begin))
            }
            defer { calls.give() }
            var standing = standing
            let waited = clock.now.duration(since: begin)
            standing.attempt.since = standing.attempt.since.map { $0 + waited }
            return try await load(call, trail, standing)
        }
    }

    /// The reply where the time was over before there was a permit. The origin was not asked: no circuit counts it.
    private func lateTurn(of call: Call, after duration: Duration) -> LoadReply {
        let reason = "not asked within \(call.part?.limit ?? "the time until the deadline"): other calls of the fetch were under way"
        let attempt = Attempt(name, .timeout, duration: duration, reason: reason, error: SourceError(reason, kind: .unasked))
        var reply = LoadReply(.failed(isFinal: false), attempts: [attempt])
        reply.obstacle = .deadline
        return reply
    }
}
