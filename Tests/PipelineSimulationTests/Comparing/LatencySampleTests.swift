import Pipeline
import Testing

@testable import PipelineSimulation

@Suite struct LatencySampleTests {
    @Test func `a quantile is a latency that occurred, by the nearest rank`() {
        let sample = LatencySample((1...100).reversed().map { Int64($0) })

        #expect(sample.quantile(0.5) == .nanoseconds(50))
        #expect(sample.quantile(0.99) == .nanoseconds(99))
        #expect(sample.quantile(0.999) == .nanoseconds(100))
        #expect(sample.quantile(0) == .nanoseconds(1))
        #expect(LatencySample([7]).quantile(0.99) == .nanoseconds(7))
        #expect(LatencySample([]).quantile(0.5) == nil)
    }

    @Test func `a quantile is exact to half a hundredth, and what one million latencies take is bounded`() throws {
        var random = RandomGenerator.seeded(7)
        // From a microsecond to a quarter of an hour, evenly over the powers of two.
        let latencies = (0..<1_000_000).map { _ in
            Int64(1_000) << Int64.random(in: 0..<30, using: &random) + Int64.random(in: 0..<1_000, using: &random)
        }
        let exact = latencies.sorted()

        let sample = LatencySample(latencies)

        #expect(sample.count == 1_000_000 && sample.buckets.count < 10_000)
        for q in [0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1] {
            let (found, truth) = (try #require(sample.quantile(q)), Duration.nanoseconds(exact[Int((q * 1e6).rounded(.up)) - 1]))
            #expect(truth * 0.995 < found && found < truth * 1.005, "\(q): \(found) for \(truth)")
        }
    }

    @Test func `samples add up, and times at both ends of all that there are count`() {
        var sample = LatencySample([1, 2, 3])
        sample.add(LatencySample([4, 5, Int64.max]))
        sample.add(LatencySample([-1, 0]))

        #expect(sample.count == 8)
        #expect(sample.quantile(0.5) == .nanoseconds(2) && sample.quantile(1) == .nanoseconds(Int64.max))
    }
}
