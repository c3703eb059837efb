@testable import PipelineSimulation
import Pipeline
import PipelineYAML
import Testing

struct SimulationTests {
    private static let model =
        "sources:\n  api: { takes: { lognormal: { median: 20ms, p99: 200ms } }, fails: 1%, cost: 0.5/call + 2/GB, size: 1KB }\n"

    @Test
    func `OS-17 One seed gives the same bytes of JSON`() async throws {
        func json(seed: UInt64) async throws -> String {
            let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1s, jitter: 0.2 }, api", model: Self.model, seed: seed)
            let trace = SimulatedTown.trace(seed: 2, requests: 5_000, keys: 500, every: 3)
            return SimulationReport(
                pipeline: "friends", trace: trace, [try await Simulation(trace).result(of: Variant("friends", pipeline))]
            ).json
        }

        #expect(try await json(seed: 1) == json(seed: 1))
        #expect(try await json(seed: 1) != json(seed: 2))
    }

    @Test
    func `The counts add up, and the JSON has the members of the contract`() async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1s }, api", model: Self.model)
        let trace = SimulatedTown.trace(seed: 2, requests: 5_000, keys: 500, every: 3)
        let result = try await Simulation(trace).result(of: Variant("memory,api", pipeline))
        let counts = result.counts

        #expect(counts.tiers.reduce(0) { $0 + $1.answered } + counts.joined + counts.failed + counts.notFound == 5_000)
        #expect(counts.cost == Double(counts.tiers[1].calls) * 0.5 + Double(counts.bytes) * 2 / 1e9)
        let json = SimulationReport(pipeline: "friends", trace: trace, [result]).json
        #expect(json.hasPrefix(#"{"pipeline":"friends","trace":{"requests":5000,"keys":500,"seconds":"#))
        for member in [
            "name", "order", "requests", "answered", "joined", "stale", "failed", "not_found", "origin_calls", "peak_per_second", "bytes",
            "latency_ms", "wrong_age_ms", "cost", "series",
        ] {
            #expect(json.contains("\"\(member)\":"))
        }
    }

    @Test
    func `OS-12 The warm-up is in no figure`() async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1m }, api")
        let trace = SimulatedTown.trace((0..<100).map { (Double($0), $0 % 10) })

        let counts = try await SimulatedTown.counts(pipeline, trace, warmUp: 0.1)

        #expect(counts.requests == 90)
        #expect(counts.tiers.map(\.answered) == [90, 0])
        #expect(counts.tiers[1].calls == 0)
    }

    @Test
    func `OS-07 An empty trace has no figures, and none that is no number`() async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1m }, api", model: Self.model)
        let trace = Trace(keys: [], requests: [])

        let report = SimulationReport(
            pipeline: "friends", trace: trace, [try await Simulation(trace).result(of: Variant("friends", pipeline))])

        for text in [report.text, report.json, report.csv] { #expect(!text.lowercased().contains("nan")) }
        #expect(report.json.contains(#""p50":null"#))
    }

    @Test
    func `OS-11 A window after the last request is a warning`() throws {
        let model = try SimulatedTown.model("sources:\n  api: { down: { from: 10m, for: 1m }, slow: { from: 1m, for: 1m } }\n")

        #expect(model.warnings(for: .seconds(300)) == ["the window `down` of `api` begins at 10m, after the last request, at 5m"])
    }

    @Test
    func `Wrong values count from the change at the origin`() async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory }, api", model: "sources:\n  api: { changes: { every: 100ms } }\n")
        let trace = SimulatedTown.trace((0..<10).map { (Double($0) * 100, 0) })

        let counts = try await SimulatedTown.counts(pipeline, trace)

        // The value is right at first. It changes once within 100 ms, and is wrong for 100 ms more with each request after that.
        let sum = (counts.wrongAge ?? 0) * 10 / 1e6
        #expect(sum >= 3_600 && sum < 4_500)
    }
}
