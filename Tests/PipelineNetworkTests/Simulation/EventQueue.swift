/// What happens later, in the order of its times; what has the same time, in the order in which it was added.
struct EventQueue<Event> {
    private struct Place: Comparable {
        let time: Double
        let number: Int
        let event: Event

        static func < (left: Place, right: Place) -> Bool { (left.time, left.number) < (right.time, right.number) }
        static func == (left: Place, right: Place) -> Bool { left.number == right.number }
    }

    private var heap: [Place] = []
    private var lastNumber = 0

    mutating func add(_ event: Event, at time: Double) {
        lastNumber += 1
        heap.append(Place(time: time, number: lastNumber, event: event))
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst() -> (time: Double, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if heap.isEmpty { return (first.time, first.event) }
        heap[0] = last
        var index = 0
        while 2 * index + 1 < heap.count {
            let left = 2 * index + 1
            let least = left + 1 < heap.count && heap[left + 1] < heap[left] ? left + 1 : left
            guard heap[least] < heap[index] else { break }
            heap.swapAt(index, least)
            index = least
        }
        return (first.time, first.event)
    }
}
