/// The last 200 times, and their quantiles. Times are in seconds.
struct LatencyWindow {
    private static let size = 200

    private var ring: [Double] = []
    private var next = 0
    /// The times in order, so that a quantile is one look.
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

/// The number of requests that end in a second while others wait: the last 100 ends, by a clock that runs only then. Times are in seconds.
struct ServiceRate {
    private static let size = 100
    private static let fewest = 20
    /// The greatest age of an end that says something of the present.
    private static let longest = 60.0

    private var ends: [(busy: Double, at: Double)] = []
    private var next = 0
    private var busy = 0.0
    private var seen = -Double.infinity

    /// The time until `now` was spent with requests waiting, or without.
    mutating func pass(isBusy: Bool, at now: Double) {
        if isBusy, seen > -.infinity { busy += Swift.max(0, now - seen) }
        seen = now
    }

    /// Adds a request that ended while others waited.
    mutating func add(at now: Double) {
        if ends.count < Self.size {
            ends.append((busy, now))
        } else {
            ends[next] = (busy, now)
            next = (next + 1) % Self.size
        }
    }

    /// The number of ends in a second; nil if too few are known.
    func rate(at now: Double) -> Double? {
        guard ends.count >= Self.fewest else { return nil }
        let first = ends.count < Self.size ? ends[0] : ends[next]
        let last = ends[(next + ends.count - 1) % ends.count]
        guard now - last.at < Self.longest else { return nil }
        return Double(ends.count - 1) / Swift.max(1e-6, last.busy - first.busy)
    }
}

/// The share of failures among the last 100 requests.
struct FailureShare {
    private static let size = 100

    private var failures: [Bool] = []
    private var next = 0
    private var count = 0

    /// The share of failures; nil before the first request ended.
    var value: Double? { failures.isEmpty ? nil : Double(count) / Double(failures.count) }

    mutating func add(_ isFailure: Bool) {
        count += isFailure ? 1 : 0
        if failures.count < Self.size {
            failures.append(isFailure)
        } else {
            count -= failures[next] ? 1 : 0
            failures[next] = isFailure
            next = (next + 1) % Self.size
        }
    }
}
