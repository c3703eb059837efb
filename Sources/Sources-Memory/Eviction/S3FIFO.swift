/// Chooses which slot to empty: S3-FIFO (Yang and others, "FIFO queues are all you need for cache eviction", SOSP 2023), with two changes.
///
/// New entries wait in the small queue. Those that were used twice there move to the main queue, those used once wait again, and the others
/// go. Their hashes are remembered for a while in the ghost queue. Using an entry moves nothing: it raises a counter of two bits.
///
/// *What enters the main queue.* In the paper, each entry that comes back while its ghost is remembered does. In a loop longer than the
/// cache, it would push out an entry that is needed before it. Here, as in LIRS (Jiang and Zhang, SIGMETRICS 2002), an entry of the main
/// queue must make way that was not used for longer than the newcomer was away: half as long again, since a counter does not tell when
/// the use was. The main queue is in the order in which its entries were last looked at, and each entry knows when that was. The entry that
/// makes way waits in the small queue once more.
///
/// *How long the small queue is.* It grows by one for an entry that is used twice there or comes back soon after it left, shrinks by three
/// for an entry that is used after it made way, and shrinks a little for each one that leaves unused (after ARC; Megiddo and Modha, FAST
/// 2003). So it is a hundredth of the cache in loops and nine tenths where only the latest entries are used again.
///
/// Until the first entry has to go, the small queue takes a twentieth and the rest enters the main queue, as in the paper's
/// implementation: otherwise a loop longer than the cache would find nothing there.
struct S3FIFO {
    struct Node {
        fileprivate(set) var previous: Int32 = -1
        /// The next in the queue, or in the list of free slots.
        fileprivate(set) var next: Int32 = -1
        fileprivate(set) var hash: UInt32
        /// The time when it entered its queue, in the ghost queue's time.
        fileprivate(set) var entered: UInt16 = 0
        fileprivate(set) var frequency: UInt8 = 0
        fileprivate(set) var queue = Queue.small
    }

    enum Queue: UInt8 {
        case small
        /// The small queue, after the main queue.
        case demoted
        case main
        /// No queue.
        case none
    }

    private static let maxFrequency: UInt8 = 2

    /// The number of entries by which the small queue must grow.
    private enum Lesson {
        static let used = 1.0
        static let demotedTooEarly = -3.0
        static let unused = -0.01
    }

    private var nodes: ContiguousArray<Node> = []
    private var small = SlotList()
    private var main = SlotList()
    private var ghosts = GhostQueue()
    private var firstFree: Int32 = -1
    /// The number of entries that the small queue is meant to hold; nil until the first had to go.
    private var smallTarget: Double?

    /// The slots in the queues.
    var count: Int { small.count + main.count }

    /// The queue of a slot, for tests.
    func queue(of slot: Int32) -> Queue { nodes[Int(slot)].queue }

    /// The hash that the slot was inserted with; still there after ``evict()``, until the slot is used again.
    func hash(of slot: Int32) -> UInt32 { nodes[Int(slot)].hash }

    /// Notes a use.
    mutating func hit(_ slot: Int32) {
        if countsHit(slot) { nodes[Int(slot)].frequency += 1 }
    }

    /// Indicates whether another use would count: uses are counted up to two.
    func countsHit(_ slot: Int32) -> Bool { nodes[Int(slot)].frequency < Self.maxFrequency }

    /// A slot for a new entry: the lowest number not given out before, or one that was removed or evicted.
    mutating func insert(hash: UInt32) -> Int32 {
        var node = Node(hash: hash)
        node.queue = entersMain(hash) ? .main : .small
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

    /// Frees the slot that is missed least; nil if all queues are empty.
    mutating func evict() -> Int32? {
        if smallTarget == nil { smallTarget = Double(count) / 20 }
        while count > 0 {
            if small.count == 0 || small.count + 1 < target { demote(unusedFor: 0) }
            if small.count > 0, let slot = evictFromSmall() { return slot }
        }
        return nil
    }

    /// Frees the first of the small queue; nil if it was used, and moved.
    private mutating func evictFromSmall() -> Int32? {
        let slot = small.first
        let node = nodes[Int(slot)]
        unlink(slot)
        guard node.frequency == 0 else {
            move(slot, after: node)
            return nil
        }
        ghosts.insert(node.hash, wasInMain: node.queue == .demoted, window: ghostWindow)
        resizeSmall(Lesson.unused)
        free(slot)
        return slot
    }

    /// Moves a slot that was used in the small queue, as `node` says, to the main queue or to its end.
    private mutating func move(_ slot: Int32, after node: Node) {
        // If it was the only one, it would wait for nothing.
        let isProven = node.frequency > 1 || small.count == 0
        let entersMain = isProven && (small.count >= target || demote(unusedFor: 0))
        if node.queue == .demoted {
            resizeSmall(Lesson.demotedTooEarly)
        } else if node.frequency > 1 {
            resizeSmall(Lesson.used)
        }
        nodes[Int(slot)].frequency = 0
        append(slot, to: entersMain ? .main : .small)
    }

    /// Indicates whether a new entry enters the main queue. Where that is full, another one makes way.
    private mutating func entersMain(_ hash: UInt32) -> Bool {
        guard smallTarget != nil else { return small.count * 20 > count }
        guard let ghost = ghosts.remove(hash, window: ghostWindow) else { return false }
        if ghost.wasInMain {
            resizeSmall(Lesson.demotedTooEarly)
        } else if ghost.age < max(1, count * 3 / 10) {
            resizeSmall(Lesson.used)
        }
        let away = ghost.age + small.count
        return small.count > target || demote(unusedFor: away + away / 2)
    }

    /// Moves an entry of the main queue to the small one: the first that was not used since it was looked at, `period` ago or earlier. False
    /// when there is none.
    @discardableResult
    private mutating func demote(unusedFor period: Int) -> Bool {
        for _ in 0..<main.count {
            let slot = main.first
            guard ghosts.age(since: nodes[Int(slot)].entered) >= period else { return false }
            unlink(slot)
            let isUnused = nodes[Int(slot)].frequency == 0
            if !isUnused { nodes[Int(slot)].frequency -= 1 }
            append(slot, to: isUnused ? .demoted : .main)
            if isUnused { return true }
        }
        return false
    }

    private var target: Int { Int(smallTarget ?? 0) }

    private mutating func resizeSmall(_ difference: Double) {
        let all = Double(count)
        smallTarget = max(1, all / 100, min(all * 0.9, (smallTarget ?? 0) + difference))
    }

    /// The number of ghosts that are remembered: a third more than entries, what the bound on bytes an entry allows.
    private var ghostWindow: Int { count + count * 3 / 10 }
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
        nodes[Int(slot)].entered = ghosts.tick
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
        case .small, .demoted: change(&small, &nodes)
        case .main: change(&main, &nodes)
        case .none: preconditionFailure("a slot that is in no queue cannot be linked")
        }
    }
}
