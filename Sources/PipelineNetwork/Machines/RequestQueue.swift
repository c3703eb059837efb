internal import Pipeline

/// The requests that wait for a permit, and which of them is next. Times are in seconds.
///
/// The most important is first, and of equals the first that came. Each 10 seconds of waiting make a request one class more important; only the
/// first of each class is compared, so that the order within a class stays.
struct RequestQueue: Sendable {
    struct Waiter {
        let number: RequestNumber
        var priority: Priority
        /// The place of the waiter among its equals; no two have the same.
        var place: Int
        let arrived: Double
        let deadline: Double?

        /// The class that it has by waiting.
        func rank(at now: Double) -> Int {
            // Half a nanosecond more: seconds are not exact, and ten of them are.
            let waited = Swift.max(0, now - arrived) + 5e-10
            return min(Priority.high.rawValue, priority.rawValue + Int(min(100, waited / RequestQueue.secondsPerClass)))
        }
    }

    /// The waiters of one class in the order of their places. Those that left are skipped later.
    private struct Line {
        var slots: [(number: RequestNumber, place: Int)] = []
        var head = 0
        var count = 0
        /// Indicates whether the newest is next: set if the oldest would miss its deadline.
        var isNewestFirst = false
    }

    fileprivate static let secondsPerClass = 10.0

    private var waiters: [RequestNumber: Waiter] = [:]
    private var lines = [Line](repeating: Line(), count: Priority.allCases.count)
    private var lastPlace = 0
    private var firstPlace = 0

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    subscript(number: RequestNumber) -> Waiter? { waiters[number] }

    /// The number of waiters that are at least as important.
    func count(from priority: Priority) -> Int { lines[priority.rawValue...].reduce(0) { $0 + $1.count } }

    /// Adds a request after its equals.
    mutating func add(_ number: RequestNumber, _ priority: Priority, deadline: Double?, at now: Double) {
        lastPlace += 1
        let waiter = Waiter(number: number, priority: priority, place: lastPlace, arrived: now, deadline: deadline)
        waiters[number] = waiter
        append(waiter)
    }

    /// Takes a request out; nil if it does not wait.
    @discardableResult
    mutating func remove(_ number: RequestNumber) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: number) else { return nil }
        left(waiter.priority)
        return waiter
    }

    /// Moves a request to another class: raised it goes last among its equals, lowered first.
    mutating func move(_ number: RequestNumber, to priority: Priority) {
        guard var waiter = waiters[number], waiter.priority != priority else { return }
        let isRaised = waiter.priority < priority
        left(waiter.priority)
        waiter.priority = priority
        if isRaised {
            lastPlace += 1
            waiter.place = lastPlace
        } else {
            firstPlace -= 1
            waiter.place = firstPlace
        }
        waiters[number] = waiter
        if isRaised { append(waiter) } else { prepend(waiter) }
    }

    /// The request whose turn it is among those that may begin.
    ///
    /// - Parameter needed: the time that an answer takes.
    mutating func next(at now: Double, needed: Double, where mayBegin: (Priority) -> Bool) -> RequestNumber? {
        var best: Waiter?
        for priority in Priority.allCases where lines[priority.rawValue].count > 0 && mayBegin(priority) {
            guard let waiter = candidate(of: priority, at: now, needed: needed) else { continue }
            guard let other = best else {
                best = waiter
                continue
            }
            let (rank, otherRank) = (waiter.rank(at: now), other.rank(at: now))
            if rank > otherRank || (rank == otherRank && waiter.place < other.place) { best = waiter }
        }
        return best?.number
    }

    /// Takes out those at the front that can no longer be answered in time.
    mutating func removeLate(at now: Double, needed: Double) -> [Waiter] {
        var late: [Waiter] = []
        for priority in Priority.allCases {
            while let first = first(of: priority), let deadline = first.deadline, deadline < now + needed {
                late.append(first)
                remove(first.number)
            }
        }
        return late
    }

    /// The newest of the least important.
    var least: Waiter? {
        mutating get { Priority.allCases.first { lines[$0.rawValue].count > 0 }.flatMap { last(of: $0) } }
    }

    /// The least number of all; 0 for none.
    var firstNumber: RequestNumber { waiters.keys.min() ?? 0 }

    private mutating func candidate(of priority: Priority, at now: Double, needed: Double) -> Waiter? {
        guard let first = first(of: priority) else { return nil }
        if first.rank(at: now) > priority.rawValue { return first }
        let isNewestFirst = isNewestFirst(lines[priority.rawValue].isNewestFirst, first, at: now, needed: needed)
        lines[priority.rawValue].isNewestFirst = isNewestFirst
        return isNewestFirst ? last(of: priority) : first
    }

    private func isNewestFirst(_ isNewestFirst: Bool, _ first: Waiter, at now: Double, needed: Double) -> Bool {
        guard let deadline = first.deadline else { return false }
        return isNewestFirst ? now - first.arrived > (deadline - first.arrived) / 2 : deadline < now + needed
    }
}

// MARK: - Lines

extension RequestQueue {
    private mutating func append(_ waiter: Waiter) {
        lines[waiter.priority.rawValue].slots.append((waiter.number, waiter.place))
        lines[waiter.priority.rawValue].count += 1
    }

    private mutating func prepend(_ waiter: Waiter) {
        let index = waiter.priority.rawValue
        if lines[index].head > 0 {
            lines[index].head -= 1
            lines[index].slots[lines[index].head] = (waiter.number, waiter.place)
        } else {
            lines[index].slots.insert((waiter.number, waiter.place), at: 0)
        }
        lines[index].count += 1
    }

    private mutating func left(_ priority: Priority) {
        let index = priority.rawValue
        lines[index].count -= 1
        if lines[index].count == 0 {
            lines[index].slots.removeAll(keepingCapacity: lines[index].slots.count < 64)
            lines[index].head = 0
            lines[index].isNewestFirst = false
        } else if lines[index].slots.count > 2 * lines[index].count + 16 {
            lines[index].slots = lines[index].slots[lines[index].head...].filter { waiters[$0.number]?.place == $0.place }
            lines[index].head = 0
        }
    }

    private mutating func first(of priority: Priority) -> Waiter? {
        let index = priority.rawValue
        while lines[index].head < lines[index].slots.count {
            let slot = lines[index].slots[lines[index].head]
            if let waiter = waiters[slot.number], waiter.place == slot.place { return waiter }
            lines[index].head += 1
        }
        return nil
    }

    private mutating func last(of priority: Priority) -> Waiter? {
        let index = priority.rawValue
        while lines[index].slots.count > lines[index].head, let slot = lines[index].slots.last {
            if let waiter = waiters[slot.number], waiter.place == slot.place { return waiter }
            lines[index].slots.removeLast()
        }
        return nil
    }
}
