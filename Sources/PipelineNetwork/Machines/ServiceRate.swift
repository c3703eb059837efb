/// How many requests end in a second while others wait: the last 100 ends, by a clock that runs only then. Times are in seconds.
struct ServiceRate {
    private static let size = 100
    private static let fewest = 20
    /// Older ends say nothing of the present.
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

    /// A request ended while others waited.
    mutating func add(at now: Double) {
        if ends.count < Self.size {
            ends.append((busy, now))
        } else {
            ends[next] = (busy, now)
            next = (next + 1) % Self.size
        }
    }

    /// Ends in a second; nil when too few are known.
    func rate(at now: Double) -> Double? {
        guard ends.count >= Self.fewest else { return nil }
        let first = ends.count < Self.size ? ends[0] : ends[next]
        let last = ends[(next + ends.count - 1) % ends.count]
        guard now - last.at < Self.longest else { return nil }
        return Double(ends.count - 1) / Swift.max(1e-6, last.busy - first.busy)
    }
}
