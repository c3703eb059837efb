@testable import PipelineSimulation
import PipelineConfig
import PipelineYAML
import Testing

struct SimulationModelTests {
    private func problems(_ text: String) -> [String] {
        SimulationModel.read(ConfigFile(text: Array(text.utf8), name: "pipeline.sim.yaml"), known: ["memory", "api"]).diagnostics
            .map { "\($0.range.start.line):\($0.range.start.column) \($0.message)" }
    }

    @Test
    func `Numbers that cannot be are named at their places`() {
        #expect(
            problems("sources:\n  api: { takes: { uniform: [5ms, 1ms] } }\n") == [
                "2:17 `uniform` needs two durations, the shorter one first"
            ])
        #expect(problems("sources:\n  api: { takes: { p50: 5ms, p90: 4ms, p99: 9ms } }\n") == ["2:17 `p50`, `p90` and `p99` do not grow"])
        #expect(problems("sources:\n  api: { takes: { lognormal: { median: 0s, p99: 1s } } }\n").count == 1)
        #expect(problems("sources:\n  api: { takes: { p50: 1ms } }\n").count == 1)
        #expect(problems("sources:\n  api: { takes: { uniform: [1ms, 2ms], p50: 1ms, p90: 1ms, p99: 1ms } }\n").count == 1)
        #expect(problems("sources:\n  api: { fails: 120%, concurrency: 0 }\n").count == 2)
        #expect(
            problems("sources:\n  api: { cost: 1/day }\n") == [
                "2:16 malformed cost for `cost`: expected `0.002/call + 0.09/GB`, or one of the two"
            ])
        #expect(problems("sources:\n  api: { changes: { every: 0s } }\n").count == 1)
        #expect(problems("sources:\n  apo: { takes: 1ms }\n") == ["2:3 undefined source `apo`"])
        #expect(problems("sources:\n  api: { down: { from: 1m } }\n").count == 1)
        #expect(problems("sources:\n  api: { take: 1ms }\n") == ["2:10 unknown field `take` in a source of the model"])
    }

    @Test
    func `Distributions go through the figures that they are given by`() throws {
        let model = try SimulatedTown.model(
            "sources:\n  api: { takes: { lognormal: { median: 20ms, p99: 200ms } } }\n  mirror: { takes: { p50: 10ms, p90: 40ms, p99: 100ms } }\n"
        )
        func milliseconds(_ source: String, at part: Double) -> Int64 {
            ((model.sources[source]?.takes.nanoseconds(at: part) ?? 0) + 500_000) / 1_000_000
        }

        #expect(milliseconds("api", at: 0.5) == 20)
        #expect(milliseconds("api", at: 0.99) == 200)
        #expect([0.5, 0.9, 0.99].map { milliseconds("mirror", at: $0) } == [10, 40, 100])
    }

    @Test
    func `Recorded times are those of the source alone`() {
        let text =
            #"{"t":1,"tiers":[["memory","miss",0.01],["api","hit",12.5]]}"# + "\n"
            + #"{"t":2,"tiers":[["api","skipped",0],["api","error",3]]}"#

        #expect(RecordedTimes.times(of: "api", in: Array(text.utf8)) == [3_000_000, 12_500_000])
    }

    @Test
    func `Windows on the command line`() {
        #expect(WindowArgument("api@10m+5m")?.window == TimeWindow(from: .seconds(600), for: .seconds(300), factor: 2))
        #expect(WindowArgument("api@10m+5m×10")?.window == TimeWindow(from: .seconds(600), for: .seconds(300), factor: 10))
        #expect(WindowArgument("api@10m+5mx1.5")?.window.factor == 1.5)
        for text in ["api", "@1m+1m", "api@1m", "api@1m+1mx0.5", "api@1m+1mxa", "api@1m+1m+1m"] { #expect(WindowArgument(text) == nil) }
    }

    @Test
    func `Costs are for calls and for gigabytes`() {
        #expect(SourceCost("0.002/call + 0.09/GB")?.perGigabyte == 0.09)
        #expect(SourceCost("3/call")?.perCall == 3)
        for text in ["", "3", "3/day", "-1/call", "1/call + 1/call", "nan/call"] { #expect(SourceCost(text) == nil) }
    }
}
