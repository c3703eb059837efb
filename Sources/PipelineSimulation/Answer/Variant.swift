internal import Pipeline
internal import PipelineConfig

/// One of the pipelines that a simulation compares.
package struct Variant: Sendable {
    /// The name of the variant in answers: `memory,disk,api`, `memory.ttl=10s`.
    package let name: String
    package let pipeline: SimulatedPipeline
    /// The size that is varied, for the curve: a number of entries, or of bytes.
    package let size: Int?
    /// Indicates whether the size is a number of entries, as other caches are measured by.
    package let isSizedInEntries: Bool

    /// The name of the curve that it is a point of: those that differ in nothing but the size have one curve.
    package let curve: String

    /// - Parameters:
    ///   - field: the field that is varied.
    ///   - curve: what the variants are called that differ in the size alone.
    package init(_ name: String, _ pipeline: SimulatedPipeline, size: Int? = nil, of field: String = "", on curve: String = "") {
        (self.name, self.pipeline, self.size, self.curve) = (name, pipeline, size, curve)
        isSizedInEntries = field.hasSuffix("max_entries")
    }

    /// The sources in the order of asking.
    package var order: [String] { pipeline.tiers.map(\.name) }
}

/// The counts of the requests of one variant.
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

    /// The number of parts into which the time is divided.
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

    /// The time for which the values that were served had been others, on average in nanoseconds; nil if nothing changes.
    package var wrongAge: Double? { wrong.count == 0 ? nil : wrong.sum / Double(wrong.count) }

    /// The bytes that origins sent.
    package var bytes: Int { tiers.reduce(0) { $0 + ($1.isCache ? 0 : $1.bytes) } }

    /// The cost of all reads; nil if nothing has a cost.
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

/// A field and the values that it has in turn: `memory.ttl=10s,1m,10m`, `memory.max_entries=1000..1000000×2`.
package struct Variation: Sendable, Equatable {
    package let field: String
    package let values: [String]

    /// The greatest number of variants: more are no comparison any more.
    package static let mostValues = 1_000

    /// The variation that `text` says; nil if it is none.
    package init?(_ text: String) {
        guard let equal = text.firstIndex(of: "="), equal > text.startIndex else { return nil }
        field = String(text[..<equal])
        let list = text[text.index(after: equal)...]
        if let range = Self.range(String(list)) {
            values = range
        } else {
            values = list.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        }
        guard !values.contains(""), !values.contains(where: { $0.contains("..") }), values.count <= Self.mostValues else { return nil }
    }

    /// `value` as a place on the curve over sizes: a number of entries, or of bytes; nil if the field is no size of a cache.
    package func size(of value: String) -> Int? {
        if field.hasSuffix(".max_entries") { return Int(value) }
        return field.hasSuffix(".max_bytes") ? (try? Quantity.size(value))?.bytes : nil
    }

    /// `1000..1000000×2`: each value is the one before times a factor of more than 1.
    private static func range(_ text: String) -> [String]? {
        let sides = text.replacing("×", with: "x").replacing("..", with: "x").split(separator: "x", omittingEmptySubsequences: false)
        guard text.contains(".."), sides.count == 3, let first = Int(sides[0]), let last = Int(sides[1]), let factor = Double(sides[2]),
            first > 0, last >= first, last <= 1 << 53, factor >= 1.01, factor < 1e6
        else { return nil }
        var values: [Int] = []
        var value = Double(first)
        while value <= Double(last) {
            let whole = Int(value.rounded())
            if values.last != whole { values.append(whole) }
            value *= factor
        }
        return values.map(String.init)
    }
}
