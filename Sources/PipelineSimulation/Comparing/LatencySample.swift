/// The latencies of requests, in memory that does not grow with their number.
///
/// As in HdrHistogram, latencies that differ by less than a hundredth are counted together; their mean stands for them.
public struct LatencySample: Sendable, Hashable {
    /// Latencies that are counted together.
    struct Bucket: Sendable, Hashable {
        var count: Int
        /// The sum in nanoseconds.
        var sum: Double

        var mean: Double { sum / Double(count) }
    }

    /// The number of digits: from one power of two to the next there are 2^8 buckets, and below 2^8 one for each nanosecond.
    private static let digits = 8

    /// The buckets by their place on the axis of time.
    private(set) var buckets: [Int32: Bucket] = [:]
    /// The number of latencies.
    public private(set) var count = 0

    /// Makes a sample without a latency.
    public init() {}

    /// A sample of these, in any order.
    public init(_ nanoseconds: some Sequence<Int64>) {
        for latency in nanoseconds { add(latency) }
    }

    mutating func add(_ nanoseconds: Int64) {
        let latency = max(0, nanoseconds)
        add(Bucket(count: 1, sum: Double(latency)), at: Self.place(of: latency))
    }

    /// Adds the latencies of another sample.
    mutating func add(_ other: LatencySample) {
        for (place, bucket) in other.buckets { add(bucket, at: place) }
    }

    private mutating func add(_ bucket: Bucket, at place: Int32) {
        let known = buckets[place] ?? Bucket(count: 0, sum: 0)
        buckets[place] = Bucket(count: known.count + bucket.count, sum: known.sum + bucket.sum)
        count += bucket.count
    }

    private static func place(of latency: Int64) -> Int32 {
        let shift = max(0, Int64.bitWidth - 1 - latency.leadingZeroBitCount - digits)
        return Int32(shift << digits) + Int32(latency >> shift)
    }

    /// The least latency that a share `q` of the requests do not exceed (nearest rank), but for half a hundredth; nil for an empty sample.
    public func quantile(_ q: Double) -> Duration? {
        let rank = min(max(Int((q * Double(count)).rounded(.up)), 1), count)
        var counted = 0
        for (_, bucket) in buckets.sorted(by: { $0.key < $1.key }) {
            counted += bucket.count
            if counted >= rank { return .nanoseconds(Int64(exactly: bucket.mean.rounded()) ?? .max) }
        }
        return nil
    }
}
