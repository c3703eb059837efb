internal import Pipeline

/// What the requests of one variant came to.
package struct VariantCounts: Sendable {
    package struct Tier: Sendable {
        package let name: String
        package let isCache: Bool
        let cost: SourceCost?
        /// Values for which no request waited with another.
        package var answered = 0
        package var calls = 0
        package var bytes = 0
    }

    /// The requests of a part of the time.
    package struct Part: Sendable {
        package var answered: [Int]
        package var joined = 0
        package var stale = 0
        package var failed = 0
        package var notFound = 0
    }

    /// How many parts the time has.
    static let seriesLength = 120

    package var tiers: [Tier]
    package var requests = 0
    package var joined = 0
    package var stale = 0
    package var failed = 0
    package var notFound = 0
    /// The most calls that an origin got in one second.
    package var peakPerSecond = 0
    /// The latencies that are not 0, in no order.
    private(set) var waits: [Int64] = []
    private var wrong: (sum: Double, count: Int) = (0, 0)
    /// The length of each part in nanoseconds.
    package let bucket: Int64
    package private(set) var series: [Part] = []
    /// The part that is being counted, which is not in the series yet, and its number.
    private var open: Part
    private var openNumber = 0

    init(tiers: [Tier], bucket: Int64) {
        (self.tiers, self.bucket) = (tiers, bucket)
        open = Part(answered: Array(repeating: 0, count: tiers.count))
    }

    @inline(__always)
    mutating func note(_ answer: Answer, in part: Int) {
        if part != openNumber { turn(to: part) }
        requests += 1
        if answer.latency > 0 { waits.append(answer.latency) }
        if answer.isStale {
            stale += 1
            open.stale += 1
        }
        switch answer.ending {
        case .failed:
            failed += 1
            open.failed += 1
        case .notFound:
            notFound += 1
            open.notFound += 1
        case .value where answer.isJoined:
            joined += 1
            open.joined += 1
        case .value:
            tiers[Int(answer.tier)].answered += 1
            open.answered[Int(answer.tier)] += 1
        }
    }

    mutating func noteWrong(_ nanoseconds: Int64) {
        wrong.sum += Double(nanoseconds)
        wrong.count += 1
    }

    private mutating func turn(to part: Int) {
        while series.count <= max(part, openNumber) { series.append(Part(answered: Array(repeating: 0, count: tiers.count))) }
        series[openNumber] = open
        (open, openNumber) = (series[part], part)
    }

    /// Puts the figures in order; nothing is counted after it.
    mutating func finish() {
        waits.sort()
        if requests > 0 { turn(to: openNumber) }
    }

    /// The latency in nanoseconds that the part `part` of all requests has at most; nil without a request. The latencies must be in order.
    package func latency(at part: Double) -> Int64? {
        guard requests > 0 else { return nil }
        let rank = max(1, Int((part * Double(requests)).rounded(.up)))
        let waited = rank - (requests - waits.count)
        return waited <= 0 ? 0 : waits[waited - 1]
    }

    /// How long the values that were served had been others, on average in nanoseconds; nil where nothing changes.
    package var wrongAge: Double? { wrong.count == 0 ? nil : wrong.sum / Double(wrong.count) }

    /// The bytes that origins sent.
    package var bytes: Int { tiers.reduce(0) { $0 + ($1.isCache ? 0 : $1.bytes) } }

    /// What all reads cost; nil where nothing has a cost.
    package var cost: Double? {
        let costs = tiers.compactMap { tier in
            tier.cost.map { $0.perCall * Double(tier.calls) + $0.perGigabyte * Double(tier.bytes) / 1e9 }
        }
        return costs.isEmpty ? nil : costs.reduce(0, +)
    }

    /// The share of requests that a cache answered without waiting for another.
    package var hitRatio: Double {
        requests == 0 ? 0 : Double(tiers.reduce(0) { $0 + ($1.isCache ? $1.answered : 0) }) / Double(requests)
    }
}
