/// Finds slots by hash: open addressing with linear probing, 8 bytes a bucket, at most three quarters full.
///
/// Not a dictionary, because the hash is known already (it chose the shard), and because the keys are in the slots.
struct SlotIndex {
    struct Bucket {
        var hash: UInt32
        /// Negative where the bucket is free.
        var slot: Int32

        static let free = Bucket(hash: 0, slot: -1)
    }

    private var buckets: ContiguousArray<Bucket> = []
    private var count = 0

    private var mask: Int { buckets.count - 1 }

    /// The slot with this hash that `matches` accepts.
    @inline(__always)
    func find(hash: UInt32, matches: (Int32) -> Bool) -> Int32? {
        guard !buckets.isEmpty else { return nil }
        var position = Int(hash) & mask
        while true {
            let bucket = buckets[position]
            if bucket.slot < 0 { return nil }
            if bucket.hash == hash, matches(bucket.slot) { return bucket.slot }
            position = (position + 1) & mask
        }
    }

    /// Adds a slot that is not in it.
    mutating func insert(_ slot: Int32, hash: UInt32) {
        if (count + 1) * 4 > buckets.count * 3 { grow() }
        place(Bucket(hash: hash, slot: slot))
        count += 1
    }

    /// Takes out a slot that is in it, and closes the gap, so that no search ends early.
    mutating func remove(_ slot: Int32, hash: UInt32) {
        guard !buckets.isEmpty else { return }
        var gap = Int(hash) & mask
        while buckets[gap].slot != slot {
            if buckets[gap].slot < 0 { return }
            gap = (gap + 1) & mask
        }
        count -= 1
        var position = (gap + 1) & mask
        while buckets[position].slot >= 0 {
            let home = Int(buckets[position].hash) & mask
            // It may move into the gap unless its search begins after the gap.
            if (position - home) & mask >= (position - gap) & mask {
                buckets[gap] = buckets[position]
                gap = position
            }
            position = (position + 1) & mask
        }
        buckets[gap] = .free
    }

    private mutating func place(_ bucket: Bucket) {
        var position = Int(bucket.hash) & mask
        while buckets[position].slot >= 0 { position = (position + 1) & mask }
        buckets[position] = bucket
    }

    private mutating func grow() {
        let old = buckets
        buckets = ContiguousArray(repeating: .free, count: max(8, old.count * 2))
        for bucket in old where bucket.slot >= 0 { place(bucket) }
    }
}
