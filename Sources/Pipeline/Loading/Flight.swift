/// A running load, with those who wait for it in the order in which they came.
struct Flight {
    typealias Seat = Race<LoadReply>

    private struct Place {
        let number: Int
        /// Nil where somebody left.
        var seat: Seat?
        let deadline: Timestamp?
    }

    let number: UInt64
    /// Ends with the load.
    var task: Task<Void, Never>?
    /// Ends with the flight; sleeps until ``wakesAt``.
    var timer: Task<Void, Never>?
    private var wakesAt: Timestamp?
    private var places: [Place] = []
    private var lastPlace = 0
    private(set) var waiterCount = 0

    init(number: UInt64) {
        self.number = number
    }

    /// Those who wait.
    var seats: [Seat] { places.compactMap(\.seat) }

    /// Seats somebody who waits no longer than until `deadline`; gives the number of the place.
    mutating func take(_ seat: Seat, until deadline: Timestamp?) -> Int {
        lastPlace += 1
        waiterCount += 1
        places.append(Place(number: lastPlace, seat: seat, deadline: deadline))
        return lastPlace
    }

    /// Empties a place; true when it was the last one.
    mutating func leave(_ number: Int) -> Bool {
        // The numbers rise: the list is searched by halves.
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, places[low].number == number, places[low].seat != nil else { return false }
        places[low].seat = nil
        waiterCount -= 1
        closeGaps()
        return waiterCount == 0
    }

    /// Notes that somebody has to be told at `moment`; true when the timer sleeps longer than that.
    mutating func mustWake(at moment: Timestamp) -> Bool {
        if let wakesAt, wakesAt <= moment { return false }
        wakesAt = moment
        return true
    }

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
