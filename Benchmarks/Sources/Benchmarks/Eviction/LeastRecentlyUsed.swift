/// A cache of keys that lets the one go that was not asked for the longest.
struct LeastRecentlyUsed {
    private struct Node {
        var previous: Int
        var next: Int
    }

    private let capacity: Int
    private var nodes: [Int: Node] = [:]
    private var newest = -1
    private var oldest = -1

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Asks for `key`, which is kept from then on; gives whether it was.
    mutating func request(_ key: Int) -> Bool {
        let isHit = unlink(key)
        if !isHit, nodes.count == capacity { _ = unlink(oldest) }
        nodes[key] = Node(previous: newest, next: -1)
        if newest >= 0 { nodes[newest]?.next = key } else { oldest = key }
        newest = key
        return isHit
    }

    private mutating func unlink(_ key: Int) -> Bool {
        guard let node = nodes.removeValue(forKey: key) else { return false }
        if node.previous >= 0 { nodes[node.previous]?.next = node.next } else { oldest = node.next }
        if node.next >= 0 { nodes[node.next]?.previous = node.previous } else { newest = node.previous }
        return true
    }
}
