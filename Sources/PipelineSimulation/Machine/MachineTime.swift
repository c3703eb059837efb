internal import Pipeline
private import Synchronization

/// The time of one ``Machine``, as a clock for the parts of the engine that it uses.
final class MachineTime: Sendable {
    /// The moment of the first request, on the time line of copies, which is the engine's virtual clock.
    static let start: Int64 = 1_767_225_600_000_000_000

    /// The last moment, also of the engine's virtual clock: later ones come then.
    static let end = Int64.max - start

    private let elapsed = Atomic<Int64>(0)

    /// Nanoseconds since the first request.
    var now: Int64 {
        get { elapsed.load(ordering: .relaxed) }
        set { elapsed.store(newValue, ordering: .relaxed) }
    }

    /// The moment so many nanoseconds from now.
    func after(_ nanoseconds: Int64) -> Int64 { min(Self.end, now.addingSaturated(nanoseconds)) }

    /// A clock that shows this time. Nothing sleeps by it.
    var clock: PipelineClock {
        PipelineClock(
            wall: { Timestamp(nanoseconds: Self.start + self.now) }, monotonic: { .nanoseconds(self.now) },
            sleep: { _ in throw CancellationError() })
    }
}

/// The later events, the earliest first, and of equal times the one that was planned first.
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

    /// The time of the first event; `Int64.max` without any.
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
