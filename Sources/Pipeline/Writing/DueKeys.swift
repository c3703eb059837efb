/// Keys in the order of the moments at which something is due for them: a binary heap. Outdated moments may still be in it.
struct DueKeys {
    private var heap: [(moment: Timestamp, key: Key)] = []

    var count: Int { heap.count }
    /// The moment of the first one.
    var next: Timestamp? { heap.first?.moment }

    mutating func insert(_ key: Key, at moment: Timestamp) {
        heap.append((moment, key))
        var index = heap.count - 1
        while index > 0, heap[index].moment < heap[(index - 1) / 2].moment {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes out the first one.
    mutating func popFirst() -> Key? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first.key }
        heap[0] = last
        sink(from: 0)
        return first.key
    }

    /// Removes every key that does not satisfy `isKept`, and gives back the memory that it needed.
    mutating func keep(where isKept: (Key, Timestamp) -> Bool) {
        // What is sorted is a heap.
        heap = heap.filter { isKept($0.key, $0.moment) }.sorted { $0.moment < $1.moment }
    }

    private mutating func sink(from index: Int) {
        var index = index
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let least = left + 1 < heap.count && heap[left + 1].moment < heap[left].moment ? left + 1 : left
            guard heap[least].moment < heap[index].moment else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
