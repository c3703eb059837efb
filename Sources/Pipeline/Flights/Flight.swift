/// A running load, with its waiters in the order in which they came.
struct Flight<Continuation: Sendable>: Sendable {
    private struct Slot {
        let number: UInt64
        /// Nil where the waiter has left.
        var waiter: Continuation?
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
    private var slots: [Slot] = []
    private(set) var waiterCount = 0

    init(number: UInt64) {
        self.number = number
    }

    /// The waiters that have not left.
    var waiters: [Continuation] { slots.compactMap(\.waiter) }

    /// Whether its load is no longer needed.
    var isAbandoned: Bool { waiterCount == 0 && !isBeginning }

    /// Adds a waiter under a unique number; it gives up at `deadline`.
    mutating func add(_ waiter: Continuation, number: UInt64, until deadline: Timestamp?) {
        waiterCount += 1
        // The numbers are drawn in advance, so that one may come after the next.
        var index = slots.count
        while index > 0, slots[index - 1].number > number { index -= 1 }
        slots.insert(Slot(number: number, waiter: waiter, deadline: deadline), at: index)
    }

    /// Removes and returns the waiter with this number; nil when there is none.
    mutating func remove(_ number: UInt64) -> Continuation? {
        // The numbers rise: the list is searched by halves.
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < slots.count, slots[low].number == number, let waiter = slots[low].waiter else { return nil }
        slots[low].waiter = nil
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
    mutating func expire(at now: Timestamp) -> (overdue: [Continuation], next: Timestamp?) {
        var overdue: [Continuation] = []
        var next: Timestamp?
        for index in slots.indices {
            guard let waiter = slots[index].waiter, let deadline = slots[index].deadline else { continue }
            if deadline <= now {
                overdue.append(waiter)
                slots[index].waiter = nil
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
        if slots.count > 2 * waiterCount + 16 { slots.removeAll { $0.waiter == nil } }
    }
}
