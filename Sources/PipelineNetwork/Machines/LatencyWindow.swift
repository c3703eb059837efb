/// The last 200 times, and their quantiles. Times are in seconds.
struct LatencyWindow {
    private static let size = 200

    private var ring: [Double] = []
    private var next = 0
    /// The same times in order, so that a quantile is one look.
    private var sorted: [Double] = []

    var count: Int { ring.count }

    mutating func add(_ time: Double) {
        if ring.count < Self.size {
            ring.append(time)
        } else {
            sorted.remove(at: place(of: ring[next]))
            ring[next] = time
            next = (next + 1) % Self.size
        }
        sorted.insert(time, at: place(of: time))
    }

    /// The time that the share `part` of all is below; nil before the first.
    func quantile(_ part: Double) -> Double? {
        if sorted.isEmpty { return nil }
        return sorted[min(sorted.count - 1, Int(max(0, min(1, part)) * Double(sorted.count)))]
    }

    /// The first place whose time is not less.
    private func place(of time: Double) -> Int {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
