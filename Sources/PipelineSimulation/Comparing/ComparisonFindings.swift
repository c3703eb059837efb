internal import Pipeline

/// The findings from the blocks of a comparison.
public struct ComparisonFindings: Sendable {
    /// A measure of each variant.
    public enum Measure: String, Sendable, CaseIterable {
        case p50
        case p99
        case originCalls = "origin_calls"
    }

    /// A variant beside the first one.
    public struct Comparison: Sendable {
        /// The ratio to the first variant; nil if it has none.
        public let estimate: RatioEstimate?
        /// The verdict on whether there is a difference.
        public let verdict: RatioVerdict
    }

    /// A variant, all its runs together.
    public struct Variant: Sendable {
        /// The name that people know the variant by.
        public let name: String
        /// The sources of the variant, in the order of asking.
        public let order: [String]
        /// The runs of the variant, one for each block.
        public let runs: [ComparedRun]
        /// The latencies of all its requests.
        public let latencies: LatencySample
        /// The comparisons with the first variant; empty for the first variant.
        public internal(set) var comparisons: [Measure: Comparison] = [:]
        /// Indicates whether it failed so much more or less often than the first variant that their figures are not of the same work.
        public internal(set) var failsUnlikeFirst = false

        init(name: String, order: [String], runs: [ComparedRun]) {
            (self.name, self.order, self.runs) = (name, order, runs)
            latencies = runs.reduce(into: LatencySample()) { $0.add($1.latencies) }
        }
    }

    /// The largest difference between the shares of failed requests with which a ratio is told: a failure may take less time than an
    /// answer, and a variant that fails would win by it.
    static let mostFailures = 0.001

    /// A variant's name and the sources it asks, in order.
    public typealias Label = (name: String, order: [String])

    /// The variants, in the order in which they were given.
    public let variants: [Variant]
    /// The first variant, run once more beside itself: what differs there is chance.
    public let itself: Variant
    /// The number of blocks that are complete.
    public let blocks: Int

    /// - Parameters:
    ///   - labels: one for each variant.
    ///   - blocks: the runs of each variant, and last the runs of the first one beside itself.
    ///   - seed: of what the estimates draw.
    public init(_ labels: [Label], blocks: [[ComparedRun]], seed: UInt64) {
        self.blocks = blocks.count
        let subjects = (labels + labels.prefix(1)).enumerated().map { number, label in
            Variant(name: label.name, order: label.order, runs: blocks.map { $0[number] })
        }
        // As many intervals are looked at: those of the other variants, and those of the first one against itself.
        let questions = labels.count * Measure.allCases.count
        func estimate(_ measure: Measure, of number: Int) -> RatioEstimate? {
            RatioEstimate(ofBlocks: blocks.map { measure.ratio($0[number], to: $0[0]) }, questions: questions, seed: seed &+ UInt64(number))
        }
        var compared = subjects
        for number in subjects.indices.dropFirst() {
            compared[number].failsUnlikeFirst = abs(subjects[number].failedShare - subjects[0].failedShare) > Self.mostFailures
        }
        for measure in Measure.allCases {
            let itself = compared[labels.count].failsUnlikeFirst ? nil : estimate(measure, of: labels.count)
            for number in compared.indices.dropFirst() {
                let estimate = compared[number].failsUnlikeFirst ? nil : estimate(measure, of: number)
                let verdict =
                    number == labels.count
                    ? RatioVerdict(ofItself: itself, blocks: blocks.count)
                    : RatioVerdict(estimate, itself: itself, blocks: blocks.count)
                compared[number].comparisons[measure] = Comparison(estimate: estimate, verdict: verdict)
            }
        }
        variants = Array(compared.prefix(labels.count))
        itself = compared[labels.count]
    }
}

extension ComparisonFindings.Measure {
    /// The ratio of one run to another of the same block; not a number if that has nothing.
    fileprivate func ratio(_ run: ComparedRun, to first: ComparedRun) -> Double { value(of: run) / value(of: first) }

    private func value(of run: ComparedRun) -> Double {
        switch self {
        case .p50: run.latencies.quantile(0.5).map(\.milliseconds) ?? .nan
        case .p99: run.latencies.quantile(0.99).map(\.milliseconds) ?? .nan
        case .originCalls: Double(run.originCalls.values.reduce(0, +))
        }
    }
}

extension ComparisonFindings.Variant {
    /// The sum over its runs.
    public func sum(_ count: (ComparedRun) -> Int) -> Int { runs.reduce(0) { $0 + count($1) } }

    /// The number of requests that each source answered.
    public var answered: [String: Int] { runs.reduce(into: [:]) { $0.merge($1.answered, uniquingKeysWith: +) } }

    /// The number of calls of each origin.
    public var originCalls: [String: Int] { runs.reduce(into: [:]) { $0.merge($1.originCalls, uniquingKeysWith: +) } }

    /// All requests.
    public var requests: Int { latencies.count }

    /// The part of its requests that got no answer; 0 without a request.
    var failedShare: Double { requests == 0 ? 0 : Double(sum(\.failed)) / Double(requests) }

    /// Indicates whether so many requests began late that its latencies are in doubt.
    public var isLate: Bool { Double(sum(\.late)) > 0.01 * Double(requests) }
}
