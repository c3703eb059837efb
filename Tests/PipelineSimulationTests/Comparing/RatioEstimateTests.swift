import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import PipelineSimulation

@Suite struct RatioEstimateTests {
    /// Two-sided 95 % and others, from the tables of any textbook.
    @Test(arguments: [
        (0.975, 1, 12.7062), (0.975, 2, 4.30265), (0.975, 5, 2.57058), (0.975, 9, 2.26216), (0.995, 4, 4.60409), (0.025, 9, -2.26216),
    ])
    func `the quantiles of Student are those of the tables`(p: Double, freedom: Int, expected: Double) {
        #expect(abs(StudentT.quantile(p, freedom: freedom) - expected) < 1e-4)
    }

    @Test(arguments: [(0.0, 0.5), (1.959964, 0.975), (-1.959964, 0.025), (-3.090232, 0.001)])
    func `the normal distribution is that of the tables`(z: Double, expected: Double) {
        #expect(abs(Normal.cumulative(z) - expected) < 1e-6)
    }

    @Test func `blocks that agree have a narrow interval around their ratio`() throws {
        let estimate = try #require(RatioEstimate(ofBlocks: [2.02, 1.98, 2.01, 1.99, 2.0, 2.0], seed: 1))

        #expect(abs(estimate.ratio - 2) < 0.01)
        #expect(estimate.low > 1.9 && estimate.high < 2.1 && estimate.excludesOne)
        #expect(estimate.low <= estimate.ratio && estimate.ratio <= estimate.high)
    }

    @Test(arguments: [[], [1.5], [1, 0, 2], [1, .nan], [1, .infinity]])
    func `without two blocks of positive numbers there is no estimate`(ratios: [Double]) {
        #expect(RatioEstimate(ofBlocks: ratios, seed: 1) == nil)
    }

    @Test func `more questions widen the interval, and a seed repeats it`() throws {
        let blocks = [1.1, 1.2, 0.95, 1.05, 1.15, 1.0, 1.3]
        let one = try #require(RatioEstimate(ofBlocks: blocks, questions: 1, seed: 7))
        let six = try #require(RatioEstimate(ofBlocks: blocks, questions: 6, seed: 7))

        #expect(six.low < one.low && six.high > one.high)
        #expect(RatioEstimate(ofBlocks: blocks, questions: 1, seed: 7) == one)
    }

    @Test func `two far blocks have an interval without an end, and it is a number all the same`() throws {
        let estimate = try #require(RatioEstimate(ofBlocks: [1e-300, 1e300], questions: 100, seed: 1))

        #expect(estimate.high.isFinite && estimate.low >= 0 && !estimate.excludesOne)
    }

    @Test func `the interval holds the truth as often as it says`() {
        let held = (0..<400).count { seed in
            var noise = Noise(seed: UInt64(seed))
            let blocks = (0..<8).map { _ in exp(log(1.3) + 0.05 * noise.normal()) }
            let estimate = RatioEstimate(ofBlocks: blocks, seed: UInt64(seed))
            return estimate.map { $0.low <= 1.3 && 1.3 <= $0.high } ?? false
        }

        // 95 % of 400 is 380, with a standard deviation of 4.4.
        #expect(held >= 367, "held \(held) of 400")
    }
}

/// Seeded noise.
struct Noise {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A normal number (Box and Muller).
    mutating func normal() -> Double {
        let (u, v) = (Double.random(in: 1e-12..<1, using: &random), Double.random(in: 0..<1, using: &random))
        return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
    }
}
