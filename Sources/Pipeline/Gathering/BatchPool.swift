/// Keys that wait to be read with one call, as a pure machine: says which calls are due.
struct BatchPool<Waiting: Sendable>: Sendable {
    private struct Place {
        let waiting: Waiting
        let since: Timestamp
        let deadline: Timestamp?
    }

    private let most: Int
    private let window: Duration
    private var places: [Place] = []

    /// - Parameters:
    ///   - most: the most of one call.
    ///   - window: how long the first one waits for others.
    init(most: Int, window: Duration) {
        self.most = most
        self.window = window
    }

    var isEmpty: Bool { places.isEmpty }

    /// When to look again; nil where nothing waits.
    var wakes: Timestamp? { places.first.map { $0.since + window } }

    mutating func add(_ waiting: Waiting, at now: Timestamp, until deadline: Timestamp?) {
        places.append(Place(waiting: waiting, since: now, deadline: deadline))
    }

    mutating func remove(where isGone: (Waiting) -> Bool) {
        places.removeAll { isGone($0.waiting) }
    }

    /// Takes what is due: as many as make full calls, and the rest when its window ends, or at once where that would be too late for one of
    /// them.
    mutating func due(at now: Timestamp) -> [[Waiting]] {
        var calls: [[Waiting]] = []
        while places.count >= most {
            calls.append(places.prefix(most).map(\.waiting))
            places.removeFirst(most)
        }
        guard let end = wakes, now >= end || places.contains(where: { $0.deadline.map { $0 <= end } ?? false }) else { return calls }
        calls.append(places.map(\.waiting))
        places = []
        return calls
    }
}
