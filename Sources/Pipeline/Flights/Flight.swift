/// A running load, with those who wait for it in the order in which they came.
struct Flight<Seat: Sendable>: Sendable {
    private struct Place {
        let number: UInt64
        /// Nil where somebody left.
        var seat: Seat?
        let deadline: Timestamp?
    }

    let number: UInt64
    /// Whether who began it is still looking for an answer that needs no load, and counts as nobody who waits.
    var isProbing = false
    /// Ends that look, where it has to be waited for.
    var callOff: CallOff?
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

    /// Those who wait.
    var seats: [Seat] { places.compactMap(\.seat) }

    /// Whether nobody needs it any more.
    var isAbandoned: Bool { waiterCount == 0 && !isProbing }

    /// Seats somebody who waits no longer than until `deadline` at the place of this number, which nobody else has.
    mutating func take(_ seat: Seat, at number: UInt64, until deadline: Timestamp?) {
        waiterCount += 1
        // The numbers are drawn in advance, so that one may come after the next.
        var index = places.count
        while index > 0, places[index - 1].number > number { index -= 1 }
        places.insert(Place(number: number, seat: seat, deadline: deadline), at: index)
    }

    /// Empties a place; gives who had it, or nil when nobody has.
    mutating func leave(_ number: UInt64) -> Seat? {
        // The numbers rise: the list is searched by halves.
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, places[low].number == number, let seat = places[low].seat else { return nil }
        places[low].seat = nil
        waiterCount -= 1
        closeGaps()
        return seat
    }

    /// Notes that somebody has to be told at `moment`; true when the alarm rings later than that.
    mutating func mustWake(at moment: Timestamp) -> Bool {
        if let wakesAt, wakesAt <= moment { return false }
        wakesAt = moment
        return true
    }

    /// Whether the alarm that was asked for at `moment` is the one to have.
    func mustBeWoken(at moment: Timestamp) -> Bool { wakesAt == moment }

    /// Empties the places of those whose time is over, and gives when the next one's will be.
    mutating func expire(at now: Timestamp) -> (overdue: [Seat], next: Timestamp?) {
        var overdue: [Seat] = []
        var next: Timestamp?
        for index in places.indices {
            guard let seat = places[index].seat, let deadline = places[index].deadline else { continue }
            if deadline <= now {
                overdue.append(seat)
                places[index].seat = nil
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        waiterCount -= overdue.count
        closeGaps()
        wakesAt = next
        return (overdue, next)
    }

    /// Changes the flight where it stands: a copy of it would be a copy of all its places.
    mutating func change<Result>(_ body: (inout Flight) -> Result) -> Result { body(&self) }

    /// A load that takes long may see many come and go.
    private mutating func closeGaps() {
        if places.count > 2 * waiterCount + 16 { places.removeAll { $0.seat == nil } }
    }
}
