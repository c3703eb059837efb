@testable import PipelineSimulation
import PipelineReports
import Pipeline
import PipelineYAML
import Synchronization
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

    /// Plays until the first note of progress that is not 0, and is cancelled there.
    private func interrupted(_ policies: String) async throws -> (result: Simulation.Played, progress: Int) {
        let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1s }, api", policies, model: Self.model)
        let trace = SimulatedTown.trace(seed: 2, requests: 400_000, keys: 500, every: 3)
        let notes = Mutex((task: Task<Simulation.Played, any Error>?.none, count: 0))
        let task = Task {
            try await Simulation(trace).result(of: Variant("friends", pipeline)) { part in
                notes.withLock { notes in
                    notes.count += 1
                    if part > 0 { notes.task?.cancel() }
                }
            }
        }
        notes.withLock { $0.task = task }
        return (try await task.value, notes.withLock(\.count))
    }

    @Test(arguments: ["", "    deadline: 10s\n"])
    func `An interrupted play is partial, with what was counted until then, also when the engine plays alone`(_ policies: String)
        async throws
    {
        let (result, progress) = try await interrupted(policies)

        #expect(result.isPartial && progress > 0)
        #expect(result.reasons.isEmpty == policies.isEmpty)
        #expect(result.counts.requests > 0 && result.played < 400_000 && result.counts.requests <= result.played)
        let trace = SimulatedTown.trace([(0, 0)])
        let report = SimulationReport(pipeline: "friends", trace: trace, [result], of: 3)
        #expect(report.text.contains("`friends` is partial: ") && report.text.contains("partial: 0 of 3 variants were played to the end\n"))
        #expect(report.json.contains(#""partial":true,"played":"#) && report.json.hasSuffix("],\"partial\":true}\n"))
        let csv = report.csv.split(separator: "\n")
        #expect(csv[0].hasSuffix(",partial") && csv[1].hasSuffix(",true"))
        let svg = SimulationChart(report).svg
        #expect(svg.contains("Answers a second: friends (partial)") && svg.contains("partial: 0 of 3 variants were played to the end"))
    }

    @Test
    func `A whole simulation says nothing of parts`() async throws {
        let pipeline = try SimulatedTown.pipeline("memory, api")
        let trace = SimulatedTown.trace([(0, 0), (1, 0)])
        let report = SimulationReport(
            pipeline: "friends", trace: trace, [try await Simulation(trace).result(of: Variant("friends", pipeline))])

        #expect(!report.text.contains("partial") && !report.json.contains("partial") && !SimulationChart(report).svg.contains("partial"))
        #expect(report.csv.contains(",false\n"))
    }

    @Test
    func `Small costs are shown, and are never written with an exponent`() async throws {
        #expect([0, 0.000_012_34, 0.004, 0.5, 1.239, 1_234].map(Figure.cost) == ["0.00", "0.0000123", "0.004", "0.50", "1.24", "1234.00"])
        #expect([0, 0.000_012, 0.1, 3.25, 1e14].map { Figure.significant($0, 12) } == ["0", "0.000012", "0.1", "3.25", "100000000000000"])
        let pipeline = try SimulatedTown.pipeline("memory, api", model: "sources:\n  api: { cost: 0.000002/call }\n")
        let trace = SimulatedTown.trace((0..<5).map { (Double($0), $0) })
        let report = SimulationReport(
            pipeline: "friends", trace: trace, [try await Simulation(trace).result(of: Variant("friends", pipeline))])

        #expect(report.text.contains(" 0.00001\n") && report.json.contains(#""cost":0.00001,"#) && report.csv.contains(",0.00001,"))
    }

    @Test
    func `Each order has a curve over the sizes, of the requests that the table counts`() async throws {
        let trace = SimulatedTown.trace(seed: 3, requests: 2_000, keys: 100, every: 3)
        var results: [Simulation.Played] = []
        for order in ["memory, api", "memory, disk, api"] {
            for size in [5, 50] {
                let sources = SimulatedTown.sources.replacing("max_entries: 100", with: "max_entries: \(size)")
                let variant = Variant(
                    "\(order) \(size)", try SimulatedTown.pipeline(order, sources: sources), size: size, of: "memory.max_entries", on: order
                )
                results.append(try await Simulation(trace, warmUp: 0.5).result(of: variant))
            }
        }

        let svg = SimulationChart(SimulationReport(pipeline: "friends", trace: trace, results, warmUp: 1_000)).svg

        let curves = svg[(try #require(svg.firstRange(of: "by size in entries"))).upperBound...]
        #expect(curves.matches(of: /stroke-width="2.50"/).count == 2)
        #expect(curves.contains(">memory, api<") && curves.contains(">memory, disk, api<") && curves.contains(">the optimum<"))
        let keys = trace.requests.map(\.key)
        let whole = CacheCurve.leastRecentlyUsed(keys, sizes: [50])[0]
        let first = CacheCurve.leastRecentlyUsed(keys[..<1_000], sizes: [50])[0]
        #expect(CacheCurve.leastRecentlyUsed(keys, sizes: [50], countingFrom: 1_000) == [whole - first])
        let best = CacheCurve.optimum(keys, size: 50)
        #expect(CacheCurve.optimum(keys, size: 50, countingFrom: 1_000) < best)
    }

    @Test
    func `Large payloads count in memory as their sizes, and take none`() async throws {
        let sources = SimulatedTown.sources.replacing("max_entries: 100", with: "max_entries: 100, max_bytes: 10GiB")
        let trace = Trace(
            keys: (0..<20).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) },
            requests: (0..<40).map { number in
                let key = min(number, 39 - number)
                return TraceRequest(time: Int64(number), key: Int32(key), size: (1 << 30) - Int64(key))
            })

        let counts = try await SimulatedTown.counts(try SimulatedTown.pipeline("memory, api", sources: sources), trace)

        // Of 20 values of a GiB each, ten GiB hold at most nine.
        let hits = counts.tiers[0].answered
        #expect(hits > 0 && hits <= 10)
        #expect(counts.bytes > (counts.tiers[1].calls - 1) << 30)
    }

    @Test(arguments: FetchPolicy.allCases)
    func `Recorded policies are played`(_ policy: FetchPolicy) async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1m }, api")
        let key = Key(pipeline: "friends", parameters: ["user": "1"])
        let trace = Trace(
            keys: [key],
            requests: [
                TraceRequest(time: 0, key: 0, policy: policy), TraceRequest(time: 1_000, key: 0, policy: policy),
                TraceRequest(time: 2_000, key: 0),
            ])

        let result = try await Simulation(trace).result(of: Variant("friends", pipeline))

        let (counts, calls) = (result.counts, result.counts.tiers[1].calls)
        switch policy {
        case .default: #expect(calls == 1 && result.reasons.isEmpty)
        case .cacheOnly: #expect(calls == 1 && counts.notFound == 2)
        case .offline: #expect(calls == 1 && counts.failed + counts.notFound == 2)
        case .refresh: #expect(calls == 2 && counts.tiers[0].answered == 1)
        case .noStore: #expect(calls == 3 && counts.tiers[0].answered == 0)
        }
        if policy != .default { #expect(result.reasons == ["fetches with the policy `\(policy.rawValue)`"]) }
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

    @Test(arguments: ["", "    deadline: 10s\n"])
    func `A call that began in the warm-up counts neither as a call nor by its bytes, in both gears`(_ policies: String) async throws {
        let pipeline = try SimulatedTown.pipeline(
            "{ source: memory, ttl: 1m }, api", policies, model: "sources:\n  api: { takes: 20ms, size: 1KB, concurrency: 1 }\n")
        let trace = SimulatedTown.trace([(0, 0), (1, 1), (30, 2), (60, 3)])

        let counts = try await SimulatedTown.counts(pipeline, trace, warmUp: 0.5)

        // The second read begins when the first one has ended, at 20 ms, and ends at 40 ms; two more follow.
        #expect(counts.requests == 2 && counts.tiers[1].calls == 2)
        #expect(counts.bytes == 2_000)
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
