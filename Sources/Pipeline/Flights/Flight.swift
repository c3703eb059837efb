/// A running load, with its waiters in the order in which they came.
struct Flight<Waiter: Sendable>: Sendable {
    private struct Place {
        let number: UInt64
        /// Nil where the waiter has left.
        var waiter: Waiter?
        let deadline: Timestamp?
    }

    let number: UInt64
    /// Whether its load has begun on the calling thread and may need no task: the caller is no waiter yet.
    var isBeginning = false
    /// Ends with the load.
    var task: Task<Void, Never>?
    /// Rings at ``wakesAt``; cancelled with the flight.
    var alarm: Alarm?
    private var wakesAt: Timestamp?
    private var places: [Place] = []
    private(set) var waiterCount = 0

    init(number: UInt64) {
        self.number = number
    }

    /// The waiters that have not left.
    var waiters: [Waiter] { places.compactMap(\.waiter) }

    /// Whether its load is no longer needed.
    var isAbandoned: Bool { waiterCount == 0 && !isBeginning }

    /// Adds a waiter under a unique number; it gives up at `deadline`.
    mutating func add(_ waiter: Waiter, number: UInt64, until deadline: Timestamp?) {
        waiterCount += 1
        // The numbers are drawn in advance, so that one may come after the next.
        var index = places.count
        while index > 0, places[index - 1].number > number { index -= 1 }
        places.insert(Place(number: number, waiter: waiter, deadline: deadline), at: index)
    }

    /// Removes and returns the waiter with this number; nil when there is none.
    mutating func remove(_ number: UInt64) -> Waiter? {
        // The numbers rise: the list is searched by halves.
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, places[low].number == number, let waiter = places[low].waiter else { return nil }
        places[low].waiter = nil
        waiterCount -= 1
        closeGaps()
        return waiter
    }

    /// Notes that a waiter gives up at `moment`; true when the alarm rings later than that.
    mutating func mustWake(at moment: Timestamp) -> Bool {
        if let wakesAt, wakesAt <= moment { return false }
        wakesAt = moment
        return true
    }

    /// Whether the alarm that was asked for at `moment` is still the right one.
    func mustBeWoken(at moment: Timestamp) -> Bool { wakesAt == moment }

    /// Removes the waiters whose time is over; returns when the next one's will be.
    mutating func expire(at now: Timestamp) -> (overdue: [Waiter], next: Timestamp?) {
        var overdue: [Waiter] = []
        var next: Timestamp?
        for index in places.indices {
            guard let waiter = places[index].waiter, let deadline = places[index].deadline else { continue }
            if deadline <= now {
                overdue.append(waiter)
                places[index].waiter = nil
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        waiterCount -= overdue.count
        closeGaps()
        wakesAt = next
        return (overdue, next)
    }

    /// Changes the flight in place: a copy of it would copy all its waiters.
    mutating func change<Value>(_ body: (inout Flight) -> Value) -> Value { body(&self) }

    /// During a long load many waiters may come and go.
    private mutating func closeGaps() {
        if places.count > 2 * waiterCount + 16 { places.removeAll { $0.waiter == nil } }
    }
}
