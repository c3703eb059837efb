/// A cache of so many keys, as a policy would keep it: what it answers is counted, and nothing else.
protocol CachePolicy {
    init(capacity: Int)

    /// Requests `key`, which may be kept from then on; gives whether it was kept.
    mutating func request(_ key: Int) -> Bool
}

extension CachePolicy {
    static func hits(of trace: Trace, capacity: Int) -> Int {
        var cache = Self(capacity: capacity)
        return trace.requests.count { cache.request($0) }
    }
}
