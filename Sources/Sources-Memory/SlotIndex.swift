/// Finds slots by hash: open addressing with linear probing, 4 bytes a bucket, between a half and two thirds full.
///
/// Not a dictionary, because the hash is known already (it chose the shard), and because the keys are in the slots. So are the hashes, which
/// the functions ask for.
struct SlotIndex {
    /// The slot; negative where the bucket is free.
    typealias Bucket = Int32

    private static let free: Bucket = -1

    private var buckets: ContiguousArray<Bucket> = []
    private var count = 0

    /// The slot that `matches` accepts, of those that were inserted with this hash and some others.
    @inline(__always)
    func find(hash: UInt32, matches: (Int32) -> Bool) -> Int32? {
        guard !buckets.isEmpty else { return nil }
        var position = home(of: hash)
        while true {
            let slot = buckets[position]
            if slot < 0 { return nil }
            if matches(slot) { return slot }
            position = after(position)
        }
    }

    /// Adds a slot that is not in it.
    mutating func insert(_ slot: Int32, hashes: (Int32) -> UInt32) {
        if (count + 1) * 3 > buckets.count * 2 { grow(hashes) }
        place(slot, hash: hashes(slot))
        count += 1
    }

    /// Takes out a slot that is in it, and closes the gap, so that no search ends early.
    mutating func remove(_ slot: Int32, hashes: (Int32) -> UInt32) {
        guard !buckets.isEmpty else { return }
        var gap = home(of: hashes(slot))
        while buckets[gap] != slot {
            if buckets[gap] < 0 { return }
            gap = after(gap)
        }
        count -= 1
        var position = after(gap)
        while buckets[position] >= 0 {
            let home = home(of: hashes(buckets[position]))
            // It may move into the gap unless its search begins after the gap.
            if distance(from: home, to: position) >= distance(from: gap, to: position) {
                buckets[gap] = buckets[position]
                gap = position
            }
            position = after(position)
        }
        buckets[gap] = Self.free
    }

    /// The place where the search for a hash begins: its share of the buckets, whose number is not a power of two.
    @inline(__always)
    private func home(of hash: UInt32) -> Int { Int((UInt64(hash) &* UInt64(buckets.count)) >> 32) }

    @inline(__always)
    private func after(_ position: Int) -> Int { position + 1 == buckets.count ? 0 : position + 1 }

    private func distance(from start: Int, to end: Int) -> Int { end >= start ? end - start : end - start + buckets.count }

    private mutating func place(_ slot: Int32, hash: UInt32) {
        var position = home(of: hash)
        while buckets[position] >= 0 { position = after(position) }
        buckets[position] = slot
    }

    private mutating func grow(_ hashes: (Int32) -> UInt32) {
        let old = buckets
        buckets = ContiguousArray(repeating: Self.free, count: max(8, old.count + old.count / 4))
        for slot in old where slot >= 0 { place(slot, hash: hashes(slot)) }
    }
}

extension ContiguousArray {
    /// Makes room for one more element by a sixteenth, where appending would double: the bound on bytes an entry counts on it.
    mutating func reserveSlot() {
        if count == capacity { reserveCapacity(count + count / 16 + 8) }
    }
}
