/// Chooses which slot to empty: S3-FIFO (Yang and others, "FIFO queues are all you need for cache eviction", SOSP 2023).
///
/// New entries wait in a small queue, a twentieth of all. Those that were used there move to the main queue, the others go, and only
/// their hashes are remembered for a while (the ghost queue): an entry that comes back in that time enters the main queue at once.
/// Using an entry moves nothing, it raises a counter of two bits.
///
/// The paper moves an entry after two uses. Here one is enough: a tier's entry is written by the first request for it, so that
/// one use is the second request. The paper's small queue is a tenth; half of that keeps more of what is asked for in a loop, and costs
/// other traces little.
///
/// Until the first entry has to go, the small queue takes no more than its share and the rest enters the main queue, as in the authors'
/// own implementation: otherwise a loop that is longer than the cache would never get anything into the main queue.
struct S3FIFO {
    struct Node {
        fileprivate(set) var previous: Int32 = -1
        /// The next in the queue, or in the list of free slots.
        fileprivate(set) var next: Int32 = -1
        fileprivate(set) var hash: UInt32
        fileprivate(set) var frequency: UInt8 = 0
        fileprivate(set) var queue = Queue.small
    }

    enum Queue: UInt8 {
        case small
        case main
        /// In no queue.
        case none
    }

    private static let maxFrequency: UInt8 = 3
    /// The small queue is meant to hold one entry of so many.
    private static let smallShare = 20

    private var nodes: ContiguousArray<Node> = []
    private var small = SlotList()
    private var main = SlotList()
    private var ghosts = GhostQueue()
    private var firstFree: Int32 = -1
    private var hasEvicted = false

    /// The slots in the queues.
    var count: Int { small.count + main.count }

    /// Where a slot is, for tests.
    func queue(of slot: Int32) -> Queue { nodes[Int(slot)].queue }

    /// The hash that the slot was inserted with; still there after ``evict()``, until the slot is used again.
    func hash(of slot: Int32) -> UInt32 { nodes[Int(slot)].hash }

    /// Notes a use.
    mutating func hit(_ slot: Int32) {
        if countsHit(slot) { nodes[Int(slot)].frequency += 1 }
    }

    /// Whether another use would be noted: they are counted up to three.
    func countsHit(_ slot: Int32) -> Bool { nodes[Int(slot)].frequency < Self.maxFrequency }

    /// A slot for a new entry: the lowest number not given out before, or one that was removed or evicted.
    mutating func insert(hash: UInt32) -> Int32 {
        var node = Node(hash: hash)
        if ghosts.remove(hash, window: ghostWindow) || !hasEvicted && small.count * Self.smallShare > count { node.queue = .main }
        let slot: Int32
        if firstFree >= 0 {
            slot = firstFree
            firstFree = nodes[Int(slot)].next
            nodes[Int(slot)] = node
        } else {
            slot = Int32(nodes.count)
            nodes.reserveSlot()
            nodes.append(node)
        }
        append(slot, to: node.queue)
        return slot
    }

    /// Frees a slot whose entry was removed by hand. It is no ghost.
    mutating func remove(_ slot: Int32) {
        unlink(slot)
        free(slot)
    }

    /// Takes a slot off its queue; until ``putBack(_:)`` it cannot be evicted.
    mutating func take(_ slot: Int32) {
        let queue = nodes[Int(slot)].queue
        unlink(slot)
        nodes[Int(slot)].queue = queue
    }

    /// Puts a slot that was taken at the end of the queue it was in. Its uses still count.
    mutating func putBack(_ slot: Int32) {
        append(slot, to: nodes[Int(slot)].queue)
    }

    /// Frees the slot that is missed least; nil when all queues are empty.
    mutating func evict() -> Int32? {
        hasEvicted = true
        while count > 0 {
            let fromSmall = small.count > 0 && (small.count * Self.smallShare >= count || main.count == 0)
            if let slot = fromSmall ? evictFromSmall() : evictFromMain() { return slot }
        }
        return nil
    }

    private mutating func evictFromSmall() -> Int32? {
        let slot = small.first
        unlink(slot)
        guard nodes[Int(slot)].frequency == 0 else {
            nodes[Int(slot)].frequency = 0
            append(slot, to: .main)
            return nil
        }
        ghosts.insert(nodes[Int(slot)].hash, window: ghostWindow)
        free(slot)
        return slot
    }

    private mutating func evictFromMain() -> Int32? {
        let slot = main.first
        unlink(slot)
        guard nodes[Int(slot)].frequency == 0 else {
            nodes[Int(slot)].frequency -= 1
            append(slot, to: .main)
            return nil
        }
        free(slot)
        return slot
    }

    /// Nine tenths of all: as many ghosts as the main queue holds in the paper.
    private var ghostWindow: Int { count - count / 10 }
}

extension S3FIFO {
    /// A doubly linked list through the nodes.
    private struct SlotList {
        var first: Int32 = -1
        var last: Int32 = -1
        var count = 0
    }

    private mutating func append(_ slot: Int32, to queue: Queue) {
        nodes[Int(slot)].queue = queue
        withList(queue) { list, nodes in
            nodes[Int(slot)].previous = list.last
            nodes[Int(slot)].next = -1
            if list.last >= 0 { nodes[Int(list.last)].next = slot } else { list.first = slot }
            list.last = slot
            list.count += 1
        }
    }

    private mutating func unlink(_ slot: Int32) {
        let node = nodes[Int(slot)]
        nodes[Int(slot)].queue = .none
        withList(node.queue) { list, nodes in
            if node.previous >= 0 { nodes[Int(node.previous)].next = node.next } else { list.first = node.next }
            if node.next >= 0 { nodes[Int(node.next)].previous = node.previous } else { list.last = node.previous }
            list.count -= 1
        }
    }

    private mutating func free(_ slot: Int32) {
        nodes[Int(slot)].next = firstFree
        firstFree = slot
    }

    private mutating func withList(_ queue: Queue, _ change: (inout SlotList, inout ContiguousArray<Node>) -> Void) {
        switch queue {
        case .small: change(&small, &nodes)
        case .main: change(&main, &nodes)
        case .none: preconditionFailure("a slot that is in no queue cannot be linked")
        }
    }
}
