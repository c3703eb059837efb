/// Values with the moments at which they are due: a binary heap, with the earliest on top, and among equal moments the value that was
/// added first.
package struct DueHeap<Value> {
    @usableFromInline
    struct Place {
        @usableFromInline let moment: Timestamp
        @usableFromInline let number: UInt64
        @usableFromInline let value: Value

        @usableFromInline
        init(moment: Timestamp, number: UInt64, value: Value) {
            (self.moment, self.number, self.value) = (moment, number, value)
        }

        @inlinable
        func isBefore(_ other: Place) -> Bool { moment < other.moment || moment == other.moment && number < other.number }
    }

    @usableFromInline var places: [Place] = []
    @usableFromInline var last: UInt64 = 0

    package init() {}

    package var count: Int { places.count }

    /// The moment of the first value.
    @inlinable
    package var next: Timestamp? { places.first?.moment }

    /// The first value.
    @inlinable
    package var first: Value? { places.first?.value }

    @inlinable
    package mutating func insert(_ value: Value, at moment: Timestamp) {
        last += 1
        let place = Place(moment: moment, number: last, value: value)
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

    /// Takes out the first value.
    @inlinable
    @discardableResult
    package mutating func popFirst() -> Value? {
        guard let first = places.first, let moved = places.popLast() else { return nil }
        guard !places.isEmpty else { return first.value }
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
        return first.value
    }

    /// Takes out the first value, if it is due at `now`.
    @inlinable
    package mutating func popFirst(dueAt now: Timestamp) -> Value? {
        guard let next, next <= now else { return nil }
        return popFirst()
    }

    /// Takes out all that do not satisfy `isKept`, and gives back the memory that they needed.
    package mutating func keep(where isKept: (Value, Timestamp) -> Bool) {
        // What is sorted is a heap.
        places = places.filter { isKept($0.value, $0.moment) }.sorted { $0.isBefore($1) }
    }
}

extension DueHeap: Sendable where Value: Sendable {}
extension DueHeap.Place: Sendable where Value: Sendable {}
