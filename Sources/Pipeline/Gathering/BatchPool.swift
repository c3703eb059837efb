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
