/// The order in which alarms ring: a binary heap, with the earliest on top, and of equal ones that which was set first.
package struct AlarmOrder {
    package struct Place: Comparable {
        package let moment: Timestamp
        package let number: UInt64

        package init(moment: Timestamp, number: UInt64) {
            (self.moment, self.number) = (moment, number)
        }

        package static func < (left: Place, right: Place) -> Bool { (left.moment, left.number) < (right.moment, right.number) }
    }

    private var heap: [Place] = []

    package init() {}

    package var count: Int { heap.count }
    package var first: Place? { heap.first }

    package mutating func insert(_ place: Place) {
        heap.append(place)
        rise(from: heap.count - 1)
    }

    @discardableResult
    package mutating func popFirst() -> Place? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        sink(from: 0)
        return first
    }

    /// Takes out all that do not satisfy `isKept`.
    mutating func keep(where isKept: (Place) -> Bool) {
        // What is sorted is a heap.
        heap = heap.filter(isKept).sorted()
    }

    private mutating func rise(from index: Int) {
        var index = index
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(from index: Int) {
        var index = index
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let least = left + 1 < heap.count && heap[left + 1] < heap[left] ? left + 1 : left
            guard heap[least] < heap[index] else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
