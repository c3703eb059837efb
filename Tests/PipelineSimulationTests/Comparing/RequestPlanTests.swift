import Pipeline
import Testing

@testable import PipelineSimulation

@Suite struct RequestPlanTests {
    private static let keys = (0..<5).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }

    @Test(arguments: [
        "zipf", "zipf()", "zipf(0.9)", "zipf(0.9, 0)", "zipf(-1, 5)", "zipf(x, 5)", "uniform(1, 2)", "loop(5", "loop(20000000)", "5", "",
    ])
    func `what is no pattern is none`(text: String) {
        #expect(KeyPattern(text) == nil)
    }

    @Test func `zipf asks for the first key most, as the exponent says, and a seed repeats it`() throws {
        let draw = try #require(KeyPattern("zipf(0.9, 1000)")).drawing()
        let drawn = draw(200_000, 3)
        let counts = drawn.reduce(into: [Int32: Int]()) { $0[$1, default: 0] += 1 }

        #expect(drawn == draw(200_000, 3) && drawn != draw(200_000, 4))
        #expect(drawn.allSatisfy { 0..<1000 ~= $0 })
        let ratio = Double(counts[0] ?? 0) / Double(counts[9] ?? 1)
        #expect((7.0...9.0).contains(ratio), "10^0.9 is 7.94, counted \(ratio)")
    }

    @Test func `a trace whose fetches all come at one time is asked for once a millisecond`() {
        let trace = Trace(keys: [Self.keys[0]], requests: [TraceRequest(time: 0, key: 0)], isTimed: true)

        #expect(RequestPlan(trace, duration: .seconds(1)).requests(0, false).count == 1000)
    }

    @Test func `uniform and loop`() throws {
        #expect(try #require(KeyPattern("loop(3)")).drawing()(7, 1) == [0, 1, 2, 0, 1, 2, 0])
        let uniform = try #require(KeyPattern("uniform(4)")).drawing()(4000, 1)
        #expect((0..<4).allSatisfy { key in 850...1150 ~= uniform.count { $0 == Int32(key) } })
    }

    @Test func `a run goes on where its warm-up ended, and each block has requests of its own`() {
        let plan = RequestPlan(cycling: Self.keys, count: 2, rate: 10)

        #expect(plan.requests(0, true).map(\.key) == [0, 1])
        #expect(plan.requests(0, false).map(\.key) == [2, 3])
        #expect(plan.requests(1, true).map(\.key) == [4, 0])
        #expect(plan.requests(0, false).map(\.time) == [0, 100_000_000])
    }

    @Test func `a trace is played piece by piece at its times, from its start again, without what is no fetch`() {
        var removal = TraceRequest(time: 500, key: 3)
        removal.operation = .remove
        let trace = Trace(
            keys: Self.keys,
            requests: [TraceRequest(time: 0, key: 0), removal, TraceRequest(time: 600, key: 1), TraceRequest(time: 1_000, key: 2)])
        let plan = RequestPlan(trace, duration: .nanoseconds(700))

        // The whole, with the mean distance to the next round, takes 1,501 ns.
        #expect(plan.requests(0, true).map { [$0.time, Int64($0.key)] } == [[0, 0], [600, 1]])
        #expect(plan.requests(0, false).map { [$0.time, Int64($0.key)] } == [[300, 2]])
        #expect(plan.requests(1, true).map { [$0.time, Int64($0.key)] } == [[101, 0]])
        #expect(plan.requests(1, false).map { [$0.time, Int64($0.key)] } == [[1, 1], [401, 2]])
        #expect(RequestPlan(Trace(keys: [], requests: []), duration: .seconds(1)).requests(0, false).isEmpty)
    }
}
