/// The alarms that are set, and the sleep until the first of them: a pure state. ``AlarmClock`` carries out what it answers.
///
/// Its size follows the number of alarms that are set now, not of all that ever were.
struct AlarmBook<Ring: Sendable>: Sendable {
    /// A sleep that must begin, in place of the one under way.
    struct Sleep: Equatable {
        let number: UInt64
        let until: Timestamp
    }

    private var rings: [UInt64: Ring] = [:]
    /// Includes the places of cancelled alarms.
    private var order = DueHeap<UInt64>()
    private var lastNumber: UInt64 = 0
    private(set) var sleep: Sleep?

    /// How many alarms are set.
    var count: Int { rings.count }

    /// How much is kept, for tests.
    var size: Int { max(order.count, rings.count) }

    /// Adds an alarm. Returns a sleep when none is under way, or when the one under way ends too late for this alarm.
    mutating func set(_ ring: Ring, at moment: Timestamp) -> (alarm: Alarm, sleep: Sleep?) {
        lastNumber += 1
        let number = lastNumber
        rings[number] = ring
        order.insert(number, at: moment)
        if let sleep, sleep.until <= moment { return (Alarm(number: number), nil) }
        // The sleep may be for another alarm: after a failed sleep, earlier ones may still be set.
        let next = Sleep(number: number, until: nextMoment() ?? moment)
        sleep = next
        return (Alarm(number: number), next)
    }

    /// Removes an alarm. A sleep for it goes on: the next alarm is likely to be later, and then no sleep has to be replaced.
    mutating func cancel(_ alarm: Alarm) -> Ring? {
        let ring = rings.removeValue(forKey: alarm.number)
        if order.count > 2 * rings.count + 16 { shrink() }
        return ring
    }

    /// Removes the alarms that ring at `now`, for the sleeper of this number. Returns until when it must go on sleeping; nil when nothing is
    /// set, or when another sleeper has taken its place.
    mutating func wake(_ number: UInt64, at now: Timestamp) -> (due: [Ring], next: Timestamp?) {
        guard sleep?.number == number else { return ([], nil) }
        var due: [Ring] = []
        while let moment = nextMoment(), moment <= now {
            if let number = order.popFirst(), let ring = rings.removeValue(forKey: number) { due.append(ring) }
        }
        let next = nextMoment()
        sleep = next.map { Sleep(number: number, until: $0) }
        return (due, next)
    }

    /// The sleeper of this number can no longer sleep. The next alarm that is set starts one sleep for all alarms.
    mutating func fail(_ number: UInt64) {
        if sleep?.number == number { sleep = nil }
    }

    private mutating func nextMoment() -> Timestamp? {
        while let first = order.first, rings[first] == nil { order.popFirst() }
        return order.next
    }

    private mutating func shrink() {
        order.keep { number, _ in rings[number] != nil }
        // After a peak: a dictionary keeps its capacity.
        if rings.capacity > 4 * rings.count + 64 { rings = Dictionary(uniqueKeysWithValues: rings.map { ($0, $1) }) }
    }
}
