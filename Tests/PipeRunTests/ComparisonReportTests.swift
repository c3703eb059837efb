import Testing

@testable import PipelineReports
@testable import PipelineSimulation

@Suite struct ComparisonReportTests {
    /// Seven blocks of runs whose latencies differ by a thousandth from block to block.
    private static let findings = ComparisonFindings(
        [("memory,api", ["memory", "api"]), ("api", ["api"])],
        blocks: (0..<7).map { block in
            let drift = Int64(1000 + block)
            return [
                run(20 * drift, answered: ["memory": 93, "api": 5], joined: 2, calls: 6),
                run(12_900 * drift, answered: ["api": 100], calls: 1000),
                run(20 * (1006 - Int64(block)), answered: ["memory": 93, "api": 5], joined: 2, calls: 6),
            ]
        }, seed: 1)

    private static func run(_ latency: Int64, answered: [String: Int], joined: Int = 0, calls: Int) -> ComparedRun {
        var run = ComparedRun()
        run.latencies = LatencySample(Array(repeating: latency, count: 100))
        (run.answered, run.joined, run.originCalls) = (answered, joined, ["api": calls])
        return run
    }

    private static func load(_ shape: LoadShape = .open(rate: 200), runs: Int = 7) -> ComparisonReport.Load {
        .init(shape: shape, duration: .seconds(30), runs: runs, isCold: false, seed: 1)
    }

    private static func report(_ stop: ComparisonReport.Stop? = nil, shape: LoadShape = .open(rate: 200), runs: Int = 7) -> ComparisonReport
    {
        ComparisonReport(
            pipeline: "friends", load: load(shape, runs: runs), findings: findings, stop: stop)
    }

    @Test func `the table has the ratios beside the latencies, and the first variant against itself`() {
        #expect(Self.report().text.contains("12.9 ms   645× (64"))
        #expect(Self.report().text.hasPrefix("200/s, 7 × 30s, warm   p50"))
        #expect(Self.report().text.contains("memory 93% api 5% joined 2%   42\n"))
        #expect(Self.report().text.contains("api 100%                      7,000\n"))
        #expect(Self.report().text.contains("against itself         ~ (0.99–1.01)"))
    }

    @Test func `a variant that fails more often than the first has its failures beside it instead of a ratio`() {
        var failing = Self.run(20, answered: ["api": 80], calls: 100)
        failing.failed = 20
        let first = Self.run(12_900, answered: ["memory": 93, "api": 7], calls: 7)
        let findings = ComparisonFindings(
            [("memory,api", ["memory", "api"]), ("api", ["api"])], blocks: Array(repeating: [first, failing, first], count: 7), seed: 1)
        let report = ComparisonReport(pipeline: "friends", load: Self.load(), findings: findings, stop: nil)

        #expect(report.text.contains("~ failed 20%") && !report.text.contains("×   "), "\(report.text)")
        #expect(report.text.contains("0% of the requests of `memory,api` failed and 20% of those of `api`: no difference is told there"))
        #expect(report.svg.contains("~ failed 20%"))
        #expect(report.json.contains(#""p50":{"ratio":null,"low":null,"high":null,"verdict":"~"}"#), "\(report.json)")
    }

    @Test func `warm-ups are told from the shortest to the longest, by their length`() {
        func block(_ seconds: Double) -> [ComparedRun] {
            var run = Self.run(20, answered: [:], calls: 0)
            run.warmUp = WarmUp(duration: .seconds(seconds), isSteady: true)
            return [run, run, run]
        }
        let findings = ComparisonFindings([("a", []), ("b", [])], blocks: [block(12), block(9)], seed: 1)

        #expect(
            ComparisonReport(pipeline: "friends", load: Self.load(), findings: findings, stop: nil).text
                .contains("warm-up: 9.0s to 12.0s before each run"))
    }

    @Test func `what is missing or not comparable is said`() {
        let partial = Self.report(.originCalls(1000), runs: 10).text
        let closed = Self.report(.interrupted, shape: .closed(clients: 1), runs: 8).text

        #expect(partial.contains("7 of 10 × 30s") && partial.contains("partial: the origins were asked 1,000 times"))
        #expect(closed.hasPrefix("1 client, closed, 7 of 8 × 30s, warm"))
        #expect(closed.contains("partial: interrupted") && closed.contains("closed: a client asks again"))
    }

    @Test(arguments: [
        (Duration.microseconds(21), "0.021 ms"), (.microseconds(1940), "1.94 ms"), (.microseconds(14_100), "14.1 ms"),
        (.milliseconds(804), "804 ms"),
        (.seconds(2), "2,000 ms"),
    ]) func `latencies have three digits`(latency: Duration, text: String) {
        #expect(Figure.latency(latency) == text)
    }

    @Test(arguments: [
        (633.4, "633"), (1234.0, "1,234"), (1.94, "1.9"), (1.04, "1.04"), (0.968, "0.97"), (0.0016, "0.0016"), (1e300, "1e+300"),
    ])
    func `factors have two digits that say something`(factor: Double, text: String) {
        #expect(Figure.factor(factor) == text)
    }

    @Test func `an interval beyond all measure has no ends`() {
        let estimate = RatioEstimate(ratio: 4, low: 1e-9, high: 1.6594203938155694e25)
        let told = RatioEstimate(ratio: 4, low: 0.000_002, high: 999_999)

        #expect(Figure.ratio(.init(estimate: estimate, verdict: .none)) == "~ (0–∞)")
        #expect(Figure.ratio(.init(estimate: told, verdict: .none)) == "~ (0.000002–999,999)")
    }

    @Test func `an interval beyond all measure has no ends in JSON, either`() {
        let first = Self.run(1_000, answered: [:], calls: 1)
        let blocks = ([1_000, 1_000_000] as [Int64]).map { [first, Self.run($0, answered: [:], calls: 1), first] }
        let findings = ComparisonFindings([("a", []), ("b", [])], blocks: blocks, seed: 1)
        let json = ComparisonReport(pipeline: "friends", load: Self.load(), findings: findings, stop: nil).json

        #expect(json.contains(#","low":null,"high":null,"verdict":"~"}"#), "\(json)")
    }

    @Test func `numbers for programs are JSON`() {
        #expect(Figure.exact(2) == "2" && Figure.exact(0.1234567) == "0.123457" && Figure.exact(1e308) == "1e+308")
        #expect(Figure.percent(1, of: 300) == "0.3%" && Figure.percent(93, of: 100) == "93%" && Figure.percent(0, of: 0) == "0%")
        #expect(Figure.percent(1, of: 3_000) == "<0.1%" && Figure.percent(1, of: 1_000) == "0.1%")
    }
}
