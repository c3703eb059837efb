/// A running load, with its waiters in the order in which they came.
struct Flight<Continuation: Sendable>: Sendable {
    private struct Slot {
        let number: UInt64
        /// Nil where the waiter has left.
        var waiter: Continuation?
        let deadline: Timestamp?
        var priority: Priority
    }

    let number: UInt64
    /// When the fetch that leads it began; nil before that waits.
    private(set) var began: Timestamp?
    /// When its load must have ended: the deadline of the fetch that leads it. Nil for a load without one.
    var loadEnd: Timestamp?
    /// Whether the first tier is read on the calling thread and may answer: the caller is no waiter yet.
    var isBeginning = false
    /// Ends with the load.
    var task: Task<Void, Never>?
    /// Rings when the next waiter gives up; cancelled with the flight.
    var alarm = AlarmSlot()
    private var slots: [Slot] = []
    private(set) var waiterCount = 0
    /// How many waiters there are of each priority.
    private var counts = SIMD4<Int32>()
    /// Its priority, for what it asks; nil while nothing has asked for it.
    private var load: LoadPriority?
    private var progress: [UInt64: LoadProgress.Observer] = [:]

    init(number: UInt64) {
        self.number = number
    }

    /// Calls `body` with each waiter that has not left.
    func forEachWaiter(_ body: (Continuation) -> Void) {
        for index in slots.indices {
            if let waiter = slots[index].waiter { body(waiter) }
        }
    }

    /// A moment in which the load's reply about its deadline comes first: it says what was tried.
    private static var grace: Duration { .milliseconds(20) }

    /// When a waiter with this deadline gives up: then, unless the load itself must have ended by then. Its reply is waited for a moment longer.
    func end(for deadline: Timestamp) -> Timestamp {
        guard let loadEnd, loadEnd <= deadline else { return deadline }
        return max(deadline, loadEnd + Self.grace)
    }

    /// Whether its load is no longer needed.
    var isAbandoned: Bool { waiterCount == 0 && !isBeginning }

    /// Adds a waiter under a unique number; it gives up at `deadline`.
    ///
    /// - Parameter begin: when the waiter that leads the flight began.
    mutating func add(
        _ waiter: Continuation, number: UInt64, until deadline: Timestamp?, priority: Priority = .normal,
        leadingSince begin: Timestamp? = nil,
        progress observer: LoadProgress.Observer? = nil
    ) {
        waiterCount += 1
        counts[priority.rawValue] += 1
        if let begin { began = begin }
        if let observer { progress[number] = observer }
        // The numbers are drawn in advance, so that one may come after the next.
        slots.append(Slot(number: number, waiter: waiter, deadline: deadline, priority: priority))
        var index = slots.count - 1
        while index > 0, slots[index - 1].number > number {
            slots.swapAt(index, index - 1)
            index -= 1
        }
    }

    /// Removes and returns the waiter with this number; nil when there is none.
    mutating func remove(_ number: UInt64) -> Continuation? {
        guard let index = index(of: number), let waiter = slots[index].waiter else { return nil }
        vacate(index)
        closeGaps()
        return waiter
    }

    private func index(of number: UInt64) -> Int? {
        // The numbers rise: the list is searched by halves.
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].number == number ? low : nil
    }

    private mutating func vacate(_ index: Int) {
        slots[index].waiter = nil
        waiterCount -= 1
        counts[slots[index].priority.rawValue] -= 1
        if !progress.isEmpty { progress[slots[index].number] = nil }
    }

    /// Removes the waiters whose time is over; returns when the next one's will be.
    mutating func expire(at now: Timestamp) -> (overdue: [Continuation], next: Timestamp?) {
        var overdue: [Continuation] = []
        var next: Timestamp?
        for index in slots.indices {
            guard let waiter = slots[index].waiter, let deadline = slots[index].deadline else { continue }
            if deadline <= now {
                overdue.append(waiter)
                vacate(index)
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        closeGaps()
        return (overdue, next)
    }

    /// Changes the flight in place: a copy of it would copy all its waiters.
    mutating func change<Value>(_ body: (inout Flight) -> Value) -> Value { body(&self) }

    /// During a long load many waiters may come and go.
    private mutating func closeGaps() {
        if slots.count > 2 * waiterCount + 16 { slots.removeAll { $0.waiter == nil } }
    }
}

extension Flight {
    /// The greatest priority of its waiters.
    private var priority: Priority { Priority.allCases.last { counts[$0.rawValue] > 0 } ?? .background }

    /// Its priority as it changes, for what it asks.
    mutating func followedPriority() -> LoadPriority {
        let load = load ?? LoadPriority(priority)
        self.load = load
        return load
    }

    /// The waiter of this number has another priority.
    mutating func changePriority(of number: UInt64, to priority: Priority) {
        guard let index = index(of: number), slots[index].waiter != nil else { return }
        counts[slots[index].priority.rawValue] -= 1
        counts[priority.rawValue] += 1
        slots[index].priority = priority
    }

    /// Passes on its priority after a change of its waiters. Gives what has to tell its observers then, when no lock is held.
    func settledPriority() -> LoadPriority? {
        guard let load, load.change(to: priority) else { return nil }
        return load
    }

    /// It ended: what goes on without it is waited for by no caller.
    func endPriority() {
        load?.set(.background)
    }

    /// Those among its waiters that want to know how much of the answer has come.
    var progressObservers: [LoadProgress.Observer] { Array(progress.values) }
}

/// The result of a load: one object for all its waiters.
@usableFromInline
final class SharedReply: Sendable {
    let value: LoadReply

    init(_ value: LoadReply) {
        self.value = value
    }

    /// The result for an outcome, which may be kept for long, without what only a load needs: expired copies, and a load that goes on.
    consuming func forOutcome() -> SharedReply {
        if value.expired.isEmpty, value.course.isOver { return self }
        var kept = value
        (kept.expired, kept.course) = ([], value.course.past)
        return SharedReply(kept)
    }
}
