/// What happens later, the earliest first, and of equal times what was planned first.
struct EventHeap<Event> {
    private struct Place {
        let time: Int64
        let number: UInt64
        let event: Event

        @inline(__always)
        func isBefore(_ other: Place) -> Bool { time < other.time || time == other.time && number < other.number }
    }

    private var places: [Place] = []
    private var last: UInt64 = 0

    /// When the first event happens; `Int64.max` without any.
    @inline(__always)
    var nextTime: Int64 { places.first?.time ?? .max }

    mutating func insert(_ event: Event, at time: Int64) {
        last += 1
        let place = Place(time: time, number: last, event: event)
        var position = places.count
        places.append(place)
        while position > 0 {
            let parent = (position - 1) / 2
            guard place.isBefore(places[parent]) else { break }
            places[position] = places[parent]
            position = parent
        }
        places[position] = place
    }

    mutating func popFirst() -> (time: Int64, event: Event)? {
        guard let first = places.first, let moved = places.popLast() else { return nil }
        guard !places.isEmpty else { return (first.time, first.event) }
        var position = 0
        while true {
            var child = 2 * position + 1
            guard child < places.count else { break }
            if child + 1 < places.count, places[child + 1].isBefore(places[child]) { child += 1 }
            guard places[child].isBefore(moved) else { break }
            places[position] = places[child]
            position = child
        }
        places[position] = moved
        return (first.time, first.event)
    }
}
