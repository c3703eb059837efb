import Foundation
import Pipeline
import Testing

@testable import PipelineSimulation

@Suite struct RatioVerdictTests {
    private static let certain = RatioEstimate(ratio: 1.5, low: 1.4, high: 1.6)
    private static let same = RatioEstimate(ratio: 1, low: 0.98, high: 1.02)

    @Test func `a difference is told where the interval excludes it and the first does not differ from itself`() {
        #expect(RatioVerdict(Self.certain, itself: Self.same, blocks: 6) == .more)
        #expect(RatioVerdict(RatioEstimate(ratio: 0.5, low: 0.4, high: 0.6), itself: Self.same, blocks: 6) == .less)
    }

    @Test func `no difference is told otherwise`() {
        #expect(RatioVerdict(Self.same, itself: Self.same, blocks: 10) == .none)
        #expect(RatioVerdict(Self.certain, itself: Self.certain, blocks: 10) == .none)
        #expect(RatioVerdict(Self.certain, itself: Self.same, blocks: 5) == .none)
        #expect(RatioVerdict(Self.certain, itself: nil, blocks: 10) == .none)
        #expect(RatioVerdict(nil, itself: Self.same, blocks: 10) == .none)
        #expect(RatioVerdict(RatioEstimate(ratio: 1.01, low: 1.009, high: 1.011), itself: Self.same, blocks: 10) == .none)
        #expect(RatioVerdict(RatioEstimate(ratio: 0.99, low: 0.989, high: 0.991), itself: Self.same, blocks: 10) == .none)
    }

    /// Latencies of an origin, and a drift of the machine that all requests of a run share.
    private static func run(slower: Double, _ noise: inout Noise) -> ComparedRun {
        var run = ComparedRun()
        let drift = 0.02 * noise.normal()
        run.latencies = LatencySample((0..<300).map { _ in Int64(20e6 * slower * exp(drift + 0.3 * noise.normal())) })
        run.originCalls = ["api": 300 + Int(5 * noise.normal())]
        return run
    }

    private static func findings(slower: Double, seed: Int, runs: Int = 10) -> ComparisonFindings {
        var noise = Noise(seed: UInt64(seed))
        let blocks = (0..<runs).map { _ in
            [run(slower: 1, &noise), run(slower: slower, &noise), run(slower: 1, &noise)]
        }
        return ComparisonFindings([("a", ["api"]), ("b", ["api"])], blocks: blocks, seed: UInt64(seed))
    }

    private static func verdicts(_ findings: ComparisonFindings) -> [RatioVerdict] {
        findings.variants[1].comparisons.values.map(\.verdict)
    }

    @Test func `OC-01: a variant against itself has a winner for at most 5 of 100 seeds`() {
        let winners = (0..<100).count { Self.verdicts(Self.findings(slower: 1, seed: $0)).contains { $0 != .none } }

        #expect(winners <= 5, "\(winners) of 100")
    }

    @Test func `OC-02: an origin that is slower by a tenth is found in ten runs, by a hundredth it is not`() {
        let found = (0..<20).count { Self.findings(slower: 1.1, seed: $0).variants[1].comparisons[.p50]?.verdict == .more }
        let told = (0..<20).count { Self.findings(slower: 1.01, seed: $0).variants[1].comparisons[.p50]?.verdict != RatioVerdict.none }

        #expect(found == 20 && told == 0, "found \(found), told \(told)")
    }

    @Test func `with five runs nothing is told`() {
        #expect(Self.verdicts(Self.findings(slower: 2, seed: 1, runs: 5)).allSatisfy { $0 == .none })
        #expect(Self.verdicts(Self.findings(slower: 2, seed: 1, runs: 6)).contains(.more))
    }

    /// Ten blocks of a slow variant and one that is twice as fast, of whose requests so many fail, out of 1,000 in each block.
    private static func findings(failed: Int, ofFirst first: Int = 0, ofItself itself: Int? = nil) -> ComparisonFindings {
        func run(_ milliseconds: Int64, _ block: Int64, failed: Int) -> ComparedRun {
            var run = ComparedRun()
            run.latencies = LatencySample(repeatElement(milliseconds * 1_000_000 + block, count: 1_000))
            (run.failed, run.originCalls) = (failed, ["api": 1_000 * Int(milliseconds)])
            return run
        }
        let blocks = (0..<10).map { block in
            [run(20, block, failed: first), run(10, block, failed: failed), run(20, block, failed: itself ?? first)]
        }
        return ComparisonFindings([("a", ["api"]), ("b", ["api"])], blocks: blocks, seed: 1)
    }

    @Test func `a variant that fails often does not win, and neither does one beside a first that fails`() {
        for findings in [Self.findings(failed: 2), Self.findings(failed: 0, ofFirst: 50), Self.findings(failed: 0, ofItself: 20)] {
            #expect(Self.verdicts(findings).allSatisfy { $0 == .none })
        }
        #expect(Self.findings(failed: 2).variants[1].failsUnlikeFirst)
        #expect(Self.findings(failed: 2).variants[1].comparisons[.p99]?.estimate == nil)
    }

    @Test func `one failure in a thousand decides nothing, and neither do as many in both`() {
        for findings in [Self.findings(failed: 0), Self.findings(failed: 1), Self.findings(failed: 50, ofFirst: 50)] {
            #expect(findings.variants[1].comparisons[.p50]?.verdict == .less && !findings.variants[1].failsUnlikeFirst)
        }
    }

    @Test func `where the first asks no origin there is no ratio of calls`() {
        var quiet = ComparedRun()
        quiet.latencies = LatencySample([1_000_000])
        var asking = quiet
        asking.originCalls = ["api": 3]
        let findings = ComparisonFindings([("a", []), ("b", [])], blocks: Array(repeating: [quiet, asking, quiet], count: 6), seed: 1)

        #expect(findings.variants[1].comparisons[.originCalls]?.estimate == nil)
        #expect(findings.variants[1].comparisons[.p50]?.estimate?.ratio == 1)
    }

    @Test func `without a block there are no figures, and nothing breaks`() {
        let findings = ComparisonFindings([("a", []), ("b", [])], blocks: [], seed: 1)

        #expect(findings.blocks == 0 && findings.variants.count == 2)
        #expect(findings.variants[0].latencies.quantile(0.5) == nil)
    }
}
