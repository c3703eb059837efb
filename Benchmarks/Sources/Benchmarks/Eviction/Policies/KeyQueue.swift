/// Keys in the order they came, of which any can be taken out.
struct KeyQueue {
    private struct Node {
        var previous: Int
        var next: Int
    }

    private var nodes: [Int: Node] = [:]
    private(set) var first: Int?
    private var last = -1

    var count: Int { nodes.count }

    var isEmpty: Bool { nodes.isEmpty }

    func contains(_ key: Int) -> Bool { nodes[key] != nil }

    /// The key that came after `key`; nil for the last.
    func next(of key: Int) -> Int? {
        guard let next = nodes[key]?.next, next >= 0 else { return nil }
        return next
    }

    /// Puts `key` at the end, wherever it was.
    mutating func append(_ key: Int) {
        remove(key)
        nodes[key] = Node(previous: last, next: -1)
        if last >= 0 { nodes[last]?.next = key } else { first = key }
        last = key
    }

    /// Whether `key` was there.
    @discardableResult
    mutating func remove(_ key: Int) -> Bool {
        guard let node = nodes.removeValue(forKey: key) else { return false }
        if node.previous >= 0 { nodes[node.previous]?.next = node.next } else { first = node.next >= 0 ? node.next : nil }
        if node.next >= 0 { nodes[node.next]?.previous = node.previous } else { last = node.previous }
        return true
    }

    @discardableResult
    mutating func popFirst() -> Int? {
        guard let first else { return nil }
        remove(first)
        return first
    }
}
