/// A binary heap of requests, the latest on top.
struct Heap {
    struct Element {
        let time: Int
        let key: Int
    }

    private var elements: [Element] = []

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[(index - 1) / 2].time < elements[index].time {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeLargest() -> Element? {
        guard !elements.isEmpty else { return nil }
        elements.swapAt(0, elements.count - 1)
        let largest = elements.removeLast()
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < elements.count else { return largest }
            if child + 1 < elements.count, elements[child + 1].time > elements[child].time { child += 1 }
            guard elements[child].time > elements[index].time else { return largest }
            elements.swapAt(index, child)
            index = child
        }
    }
}
