/// How long requests took, in memory that does not grow with their number.
///
/// As in HdrHistogram, latencies that differ by less than a hundredth are counted together. They stand for the longest of them.
public struct LatencySample: Sendable, Hashable {
    /// Latencies that are counted together.
    struct Bucket: Sendable, Hashable {
        var count: Int
        /// In nanoseconds.
        var longest: Int64
    }

    /// From one power of two to the next there are 2^7 buckets, and below 2^7 one for each nanosecond.
    private static let digits = 7

    /// By their place on the axis of time.
    private(set) var buckets: [Int32: Bucket] = [:]
    /// How many latencies there are.
    public private(set) var count = 0

    /// Without a latency.
    public init() {}

    /// A sample of these, in any order.
    public init(_ nanoseconds: some Sequence<Int64>) {
        for latency in nanoseconds { add(latency) }
    }

    mutating func add(_ nanoseconds: Int64) { add(Bucket(count: 1, longest: nanoseconds), at: Self.place(of: nanoseconds)) }

    /// Adds the latencies of another sample.
    mutating func add(_ other: LatencySample) {
        for (place, bucket) in other.buckets { add(bucket, at: place) }
    }

    private mutating func add(_ bucket: Bucket, at place: Int32) {
        let known = buckets[place] ?? Bucket(count: 0, longest: 0)
        buckets[place] = Bucket(count: known.count + bucket.count, longest: max(known.longest, bucket.longest))
        count += bucket.count
    }

    private static func place(of nanoseconds: Int64) -> Int32 {
        let value = max(0, nanoseconds)
        let shift = max(0, Int64.bitWidth - 1 - value.leadingZeroBitCount - digits)
        return Int32(shift << digits) + Int32(value >> shift)
    }

    /// A latency that occurred, which a share `q` of the requests do not exceed (nearest rank): the least of these, or one that is longer by less
    /// than a hundredth. Nil for an empty sample.
    public func quantile(_ q: Double) -> Duration? {
        let rank = min(max(Int((q * Double(count)).rounded(.up)), 1), count)
        var counted = 0
        for (_, bucket) in buckets.sorted(by: { $0.key < $1.key }) {
            counted += bucket.count
            if counted >= rank { return .nanoseconds(bucket.longest) }
        }
        return nil
    }
}
