/// The latencies of requests, in order of size.
public struct LatencySample: Sendable {
    /// In nanoseconds, the shortest first.
    public let sorted: [Int64]

    /// A sample of these, in any order.
    public init(_ nanoseconds: [Int64]) {
        sorted = nanoseconds.sorted()
    }

    /// The least latency that a share `q` of the requests do not exceed (nearest rank); nil for an empty sample.
    public func quantile(_ q: Double) -> Duration? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((q * Double(sorted.count)).rounded(.up))
        return .nanoseconds(sorted[min(max(rank, 1), sorted.count) - 1])
    }
}
