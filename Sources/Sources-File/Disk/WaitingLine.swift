/// Elements in the order in which they came. Any of them can leave before its turn.
struct WaitingLine<Element> {
    private var elements: [UInt64: Element] = [:]
    private var first: UInt64 = 0
    private var next: UInt64 = 0

    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element at the end; returns the number that ``remove(_:)`` takes.
    mutating func add(_ element: Element) -> UInt64 {
        defer { next += 1 }
        elements[next] = element
        return next
    }

    /// Takes an element out; nil when it has left already.
    @discardableResult
    mutating func remove(_ number: UInt64) -> Element? {
        elements.removeValue(forKey: number)
    }

    /// Takes out the element that came first.
    mutating func popFirst() -> Element? {
        while !elements.isEmpty {
            defer { first += 1 }
            if let element = elements.removeValue(forKey: first) { return element }
        }
        first = next
        return nil
    }
}
