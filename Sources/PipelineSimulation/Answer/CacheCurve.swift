private import Pipeline

/// The numbers of requests that caches of other kinds would miss: the lines beside the curve over sizes. A key counts one, and nothing
/// expires.
package enum CacheCurve {
    /// The misses of a cache that keeps the keys that were used last, for each size.
    ///
    /// One pass for all sizes (Mattson and others, "Evaluation techniques for storage hierarchies", 1970), with a tree of sums.
    ///
    /// - Parameter first: the number of the first request whose miss counts; those before it only fill the cache.
    package static func leastRecentlyUsed(_ keys: some RandomAccessCollection<Int32>, sizes: [Int], countingFrom first: Int = 0) -> [Int] {
        let count = keys.count
        var sums = [Int32](repeating: 0, count: count + 1)
        func add(_ value: Int32, at position: Int) {
            var index = position + 1
            while index <= count {
                sums[index] += value
                index += index & -index
            }
        }
        func sum(before position: Int) -> Int32 {
            var (index, sum) = (position, Int32(0))
            while index > 0 {
                sum += sums[index]
                index -= index & -index
            }
            return sum
        }
        var last: [Int32: Int] = [:]
        var distances: [Int: Int] = [:]
        var present: Int32 = 0
        for (position, key) in keys.enumerated() {
            if let before = last[key] {
                if position >= first { distances[Int(present - sum(before: before)), default: 0] += 1 }
                add(-1, at: before)
            } else {
                present += 1
            }
            add(1, at: position)
            last[key] = position
        }
        return sizes.map { size in max(0, count - first) - distances.reduce(0) { $0 + ($1.key <= size ? $1.value : 0) } }
    }

    /// The misses of a cache of `size` keys that knows what comes, and lets the key go that is needed last, a new one included (Belady 1966).
    ///
    /// - Parameter first: the number of the first request whose miss counts; those before it only fill the cache.
    package static func optimum(_ keys: some RandomAccessCollection<Int32>, size: Int, countingFrom first: Int = 0) -> Int {
        let count = keys.count
        var next = [Int](repeating: .max, count: count)
        var seen: [Int32: Int] = [:]
        for (position, key) in keys.enumerated().reversed() {
            next[position] = seen[key] ?? .max
            seen[key] = position
        }
        // Each use of a held key adds a place; places of earlier uses are passed over.
        var heap = DueHeap<(key: Int32, use: Int)>()
        var held: [Int32: Int] = [:]
        var misses = 0
        for (position, key) in keys.enumerated() {
            let use = next[position]
            if held[key] == nil {
                if position >= first { misses += 1 }
                if use == .max || size < 1 { continue }
                if held.count >= size {
                    guard let victim = latest(in: &heap, held) else { continue }
                    if victim.use <= use {
                        heap.insert(victim, at: Timestamp(nanoseconds: -Int64(victim.use)))
                        continue
                    }
                    held[victim.key] = nil
                }
            } else if use == .max {
                held[key] = nil
                continue
            }
            held[key] = use
            // The latest use comes first: it is no time, but sorts as one.
            heap.insert((key, use), at: Timestamp(nanoseconds: -Int64(use)))
        }
        return misses
    }

    private static func latest(in heap: inout DueHeap<(key: Int32, use: Int)>, _ held: [Int32: Int]) -> (key: Int32, use: Int)? {
        while let place = heap.popFirst() {
            if held[place.key] == place.use { return place }
        }
        return nil
    }
}
