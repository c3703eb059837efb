/// The alarms that are set, and who sleeps until the first of them: a pure state, whose answers are carried out by ``AlarmClock``.
///
/// Its size goes by the alarms that are set, not by those that were.
struct AlarmBook<Ring: Sendable>: Sendable {
    /// Somebody who is to sleep, in the place of whoever does.
    struct Sleep: Equatable {
        let number: UInt64
        let until: Timestamp
    }

    private var rings: [UInt64: Ring] = [:]
    /// Also has places of alarms that were cancelled.
    private var order = AlarmOrder()
    private var lastNumber: UInt64 = 0
    private(set) var sleep: Sleep?

    /// How many alarms are set.
    var count: Int { rings.count }

    /// How much is kept, for tests.
    var size: Int { max(order.count, rings.count) }

    /// Notes an alarm; gives a sleep when whoever sleeps, if anybody, would be too late for it.
    mutating func set(_ ring: Ring, at moment: Timestamp) -> (alarm: Alarm, sleep: Sleep?) {
        lastNumber += 1
        let number = lastNumber
        rings[number] = ring
        order.insert(AlarmOrder.Place(moment: moment, number: number))
        if let sleep, sleep.until <= moment { return (Alarm(number: number), nil) }
        // Not always for this one: after a sleep that failed there are others.
        let next = Sleep(number: number, until: nextMoment() ?? moment)
        sleep = next
        return (Alarm(number: number), next)
    }

    /// Takes an alarm out. Whoever sleeps for it is left to: the next one is likely to be later, and then costs nobody's sleep.
    mutating func cancel(_ alarm: Alarm) -> Ring? {
        let ring = rings.removeValue(forKey: alarm.number)
        if order.count > 2 * rings.count + 16 { shrink() }
        return ring
    }

    /// Takes out what rings at `now`, for the sleeper of this number; gives until when it is to go on sleeping. That is nil when nothing is
    /// set, and when another has taken its place.
    mutating func wake(_ number: UInt64, at now: Timestamp) -> (due: [Ring], next: Timestamp?) {
        guard sleep?.number == number else { return ([], nil) }
        var due: [Ring] = []
        while let moment = nextMoment(), moment <= now {
            if let place = order.popFirst(), let ring = rings.removeValue(forKey: place.number) { due.append(ring) }
        }
        let next = nextMoment()
        sleep = next.map { Sleep(number: number, until: $0) }
        return (due, next)
    }

    /// The sleeper of this number cannot sleep any more: the next alarm that is set finds another one for all.
    mutating func fail(_ number: UInt64) {
        if sleep?.number == number { sleep = nil }
    }

    private mutating func nextMoment() -> Timestamp? {
        while let first = order.first, rings[first.number] == nil { order.popFirst() }
        return order.first?.moment
    }

    private mutating func shrink() {
        order.keep { rings[$0.number] != nil }
        // After a crowd: a dictionary keeps the room that it had once.
        if rings.capacity > 4 * rings.count + 64 { rings = Dictionary(uniqueKeysWithValues: rings.map { ($0, $1) }) }
    }
}
