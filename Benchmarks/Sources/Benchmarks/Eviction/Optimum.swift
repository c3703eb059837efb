/// What no cache can do better than: it knows the requests to come, and lets the key go that is asked for last (Belady, 1966).
enum Optimum {
    static func hits(of trace: Trace, capacity: Int) -> Int {
        let upcoming = nextRequests(of: trace)
        var kept = [Int](repeating: -1, count: trace.keyCount)
        var count = 0
        var farthest = Heap()
        var hits = 0
        for (time, key) in trace.requests.enumerated() {
            if kept[key] >= 0 {
                hits += 1
            } else {
                if count == capacity {
                    // An entry of the heap that is not the last one of its key does not count any more.
                    while let next = farthest.removeLargest() {
                        let victim = next.key
                        guard kept[victim] == next.time else { continue }
                        kept[victim] = -1
                        count -= 1
                        break
                    }
                }
                count += 1
            }
            kept[key] = upcoming[time]
            farthest.insert(Heap.Element(time: upcoming[time], key: key))
        }
        return hits
    }

    /// For each request, when its key is asked for again; a time after all others when it is not.
    private static func nextRequests(of trace: Trace) -> [Int] {
        var upcoming = [Int](repeating: 0, count: trace.requests.count)
        var later = [Int](repeating: trace.requests.count, count: trace.keyCount)
        for (time, key) in trace.requests.enumerated().reversed() {
            upcoming[time] = later[key]
            later[key] = time
        }
        return upcoming
    }
}
