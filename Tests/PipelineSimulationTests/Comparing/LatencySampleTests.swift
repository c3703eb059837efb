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
}
