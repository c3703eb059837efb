@testable import PipelineSimulation
import Pipeline
import PipelineReports
import Testing

/// The flat machine answers each request as the engine does.
struct GearsTests {
    struct Setting: CustomTestStringConvertible, Sendable {
        let tiers: String
        var policies = ""
        var model = ""

        var testDescription: String { tiers + " " + policies.replacing("\n", with: " ") + model.replacing("\n", with: " ") }
    }

    private static let slow =
        "sources:\n  disk: { takes: { uniform: [1ms, 9ms] } }\n  api: { takes: { lognormal: { median: 20ms, p99: 300ms } } }\n"

    static let settings = [
        Setting(tiers: "{ source: memory, ttl: 300ms }, api"),
        Setting(tiers: "{ source: memory, ttl: 300ms }, api", model: slow),
        Setting(tiers: "{ source: memory, ttl: 300ms, jitter: 0.5 }, { source: disk, ttl: 2s, jitter: 0.2 }, api", model: slow),
        Setting(tiers: "api, { source: memory, ttl: 1s }", model: slow),
        Setting(tiers: "{ source: disk, ttl: 1s }, { source: memory, ttl: 200ms }, api", model: slow),
        Setting(
            tiers: "{ source: memory, ttl: 100ms }, { source: disk, ttl: 300ms }, api", policies: "    stale_while_revalidate: 500ms\n",
            model: slow),
        Setting(tiers: "{ source: memory, ttl: 400ms }, api", policies: "    refresh_ahead: 0.5\n", model: slow),
        Setting(
            tiers: "{ source: memory, ttl: 100ms }, api", policies: "    stale_if_error: 5s\n",
            model: "sources:\n  api: { takes: 20ms, fails: 30%, down: [{ from: 1s, for: 2s }, { from: 5s, for: 700ms }] }\n"),
        Setting(
            tiers: "{ source: memory, ttl: 100ms }, { source: disk, ttl: 500ms }, { source: api, timeout: 60ms }",
            policies: "    stale_if_error: 1s\n    stale_while_revalidate: 200ms\n",
            model:
                "sources:\n  disk: { takes: 2ms, down: { from: 2s, for: 1s }, fails: 2% }\n  api: { takes: { uniform: [10ms, 90ms] }, hangs: { from: 4s, for: 1s }, slow: { from: 1s, for: 500ms, times: 3 } }\n"
        ),
        Setting(
            tiers: "{ source: memory, ttl: 200ms }, { source: api, retry: { attempts: 3, base: 30ms, max: 100ms }, timeout: 150ms }",
            model: "sources:\n  api: { takes: { uniform: [1ms, 40ms] }, fails: 40% }\n"),
        Setting(
            tiers: "{ source: memory, ttl: 200ms }, { source: api, circuit_breaker: { failures: 3, open_for: 400ms } }, mirror",
            model: "sources:\n  api: { takes: 15ms, fails: 60% }\n  mirror: { takes: 50ms, fails: 5% }\n"),
        Setting(
            tiers: "{ source: memory, ttl: 200ms }, { source: disk, ttl: 1s }, api", policies: "    not_found_ttl: 150ms\n",
            model: "sources:\n  disk: { takes: 3ms }\n  api: { takes: 15ms, lacks: 30% }\n"),
        Setting(
            tiers: "{ source: memory, ttl: 200ms }, { source: api, on_not_found: next }, { source: mirror, on_not_found: fail }",
            policies: "    stale_if_error: 2s\n",
            model: "sources:\n  api: { takes: 15ms, lacks: 50% }\n  mirror: { takes: 10ms, lacks: 30% }\n"),
        Setting(
            tiers: "{ source: memory, ttl: 200ms }, { source: api, on_error: fail }, mirror",
            model: "sources:\n  api: { takes: 15ms, fails: 50% }\n  mirror: { takes: 10ms }\n"),
        Setting(
            tiers: "{ source: memory, ttl: 500ms }, { source: api, timeout: 80ms }",
            model: "sources:\n  api: { takes: { uniform: [10ms, 30ms] }, concurrency: 2, size: 2KB, changes: { every: 1s } }\n"),
        Setting(
            tiers: "{ source: memory, ttl: 500ms }, { source: disk, ttl: 5s }, api", policies: "    write_back: { api: [disk] }\n",
            model: slow),
    ]

    @Test(arguments: settings)
    func `OS-02 Both gears give the same answers`(_ setting: Setting) async throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let pipeline = try SimulatedTown.pipeline(setting.tiers, setting.policies, model: setting.model, seed: seed)
            let trace = SimulatedTown.trace(seed: seed, requests: 1_500, keys: 150, every: 2.5)

            let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

            #expect(pipeline.unplayable == [])
            #expect(engine.count == 1_500 && !engine.contains(nil))
            let first = engine.indices.first { engine[$0] != machine[$0] }
            if let first {
                let names = pipeline.tiers.map(\.name)
                Issue.record(
                    "seed \(seed), request \(first) at \(trace.requests[first].time): \(engine[first]?.words(names) ?? "none"), \(machine[first]?.words(names) ?? "none")"
                )
            }
        }
    }

    @Test
    func `A place of a source goes to the first that waits, before a refresh that the end of its read begins`() async throws {
        let pipeline = try SimulatedTown.pipeline(
            "api, { source: disk, ttl: 1s }", "    stale_while_revalidate: 1m\n",
            model: "sources:\n  api: { takes: 300us, concurrency: 1, hangs: { from: 79s, for: 57s } }\n")
        let trace = SimulatedTown.trace([(0, 0), (78_859, 1), (106_053, 1), (106_093, 2)])

        let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

        #expect(machine == engine)
        // The second request of its key has its time, and the copy is served; then it is the turn of the third key.
        #expect(machine.map { $0?.isStale } == [false, false, true, false])
        #expect(machine.last??.latency == 29_960_300_000)
    }

    @Test(arguments: [
        "{ source: disk, ttl: 1s }", "{ source: memory, ttl: 1s }", "{ source: memory, ttl: 1s }, { source: disk, ttl: 1s }",
        "{ source: disk, write: false }, { source: memory, ttl: 1s }", "{ source: disk, ttl: 1s }, mirror",
    ])
    func `A fetch that joined the failed call of a refresh begins no other refresh`(_ tiers: String) async throws {
        let pipeline = try SimulatedTown.pipeline(
            "{ source: api, timeout: 1s }, \(tiers)", "    stale_while_revalidate: 20s\n",
            model: "sources:\n  api: { takes: 500ms, hangs: { from: 2s, for: 1h } }\n  mirror: { takes: 100ms }\n")
        let trace = SimulatedTown.trace([(0, 0), (3_000, 0), (4_500, 0), (5_200, 0)])

        let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

        #expect(machine == engine)
        #expect(engine.map { $0?.isStale } == [false, true, true, true])
        // The second one begins the refresh that the third joins. The last one has a call of its own.
        #expect(engine.map { $0?.latency } == [500_000_000, 1_000_000_000, 500_000_000, 1_000_000_000])
    }

    /// What an API is asked that two caches stand before: ten minutes, a request every ten seconds.
    @Test(
        arguments: [
            ("", 1), ("    stale_while_revalidate: 1m\n", 1), ("    stale_while_revalidate: 1m\n    stale_if_error: 1d\n", 1),
            // The copy of the disk is due at 8 of its 10 minutes.
            ("    refresh_ahead: 0.8\n", 2), ("    refresh_ahead: 0.8\n    stale_while_revalidate: 1m\n", 2),
        ], ["disk: { takes: 0s }", "disk: { takes: 1ms }", "disk: { takes: 40ms }"])
    func `A window asks the API as often as none, while the cache below is fresh`(
        _ window: (policies: String, calls: Int), _ disk: String
    ) async throws {
        for seed in 1...2 as ClosedRange<UInt64> {
            let pipeline = try SimulatedTown.pipeline(
                "{ source: memory, ttl: 30s }, { source: disk, ttl: 10m }, api", window.policies,
                model: "sources:\n  \(disk)\n  api: { takes: 50ms }\n", seed: seed)
            let trace = SimulatedTown.trace((0..<60).map { (Double($0) * 10_000, 0) })

            let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)
            let counts = try await SimulatedTown.counts(pipeline, trace)

            #expect(machine == engine)
            #expect(Set(engine.compactMap { $0?.loaded }).count <= window.calls)
            #expect(counts.tiers.last?.calls ?? 0 <= window.calls)
            #expect(engine.allSatisfy { $0?.ending == .value })
        }
    }

    @Test(arguments: [(10.0, false, 1), (10.001, true, 0)])
    func `A fresh copy below wins over a stale one within 10 ms`(_ takes: Double, _ isStale: Bool, _ tier: Int32) async throws {
        let pipeline = try SimulatedTown.pipeline(
            "{ source: memory, ttl: 1s }, { source: disk, ttl: 10m }, api", "    stale_while_revalidate: 1m\n",
            model: "sources:\n  disk: { takes: \(Int(takes * 1_000))us }\n")
        let trace = SimulatedTown.trace([(0, 0), (2_000, 0), (2_100, 0)])

        let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

        #expect(machine == engine)
        #expect(engine.map { $0?.isStale } == [false, isStale, false])
        #expect(engine.map { $0?.tier } == [2, tier, 0])
        #expect(engine[1]?.latency == 10_000_000)
    }

    @Test
    func `Both gears give the same answers to small pipelines of all kinds`() async throws {
        for seed in 1...250 as ClosedRange<UInt64> {
            let setting = Self.drawn(seed)
            let pipeline = try SimulatedTown.pipeline(setting.tiers, setting.policies, model: setting.model, seed: seed)
            let trace = SimulatedTown.trace(seed: seed, requests: 150, keys: 8, every: 25)

            let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

            #expect(pipeline.unplayable == [])
            guard let first = engine.indices.first(where: { engine[$0] != machine[$0] }) else { continue }
            let names = pipeline.tiers.map(\.name)
            Issue.record(
                "seed \(seed), \(setting.testDescription), request \(first) at \(trace.requests[first].time): \(engine[first]?.words(names) ?? "none"), \(machine[first]?.words(names) ?? "none")"
            )
        }
    }

    /// Tiers, windows for stale copies, and sources that fail, hang and let others wait, as a seed draws them.
    private static func drawn(_ seed: UInt64) -> Setting {
        var random = RandomGenerator.seeded(seed)
        func isDrawn(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        func one(_ texts: [String]) -> String { texts[Int.random(in: 0..<texts.count, using: &random)] }
        var names = Array(["memory", "disk", "api", "mirror"].shuffled(using: &random).prefix(Int.random(in: 2...4, using: &random)))
        if !names.contains("api"), !names.contains("mirror") { names.append("api") }
        var tiers: [String] = []
        var model = "sources:\n"
        for name in names {
            let isCache = name == "memory" || name == "disk"
            var tier = ["source: \(name)"]
            if isCache { tier.append("ttl: \(one(["100ms", "500ms", "2s"]))") }
            if !isCache, isDrawn(40) { tier.append("timeout: \(one(["60ms", "300ms"]))") }
            tiers.append("{ \(tier.joined(separator: ", ")) }")
            guard name != "memory" else { continue }
            let times = ["{ uniform: [1ms, 90ms] }", "{ lognormal: { median: 20ms, p99: 300ms } }", "{ uniform: [200ms, 900ms] }"]
            var source = ["takes: \(name == "disk" && isDrawn(50) ? "0s" : one(times))"]
            if isDrawn(50) { source.append("fails: \(one(["5%", "50%"]))") }
            if isDrawn(40) { source.append("concurrency: \(one(["1", "3"]))") }
            if isDrawn(30) { source.append("hangs: { from: 1s, for: 500ms }") }
            model += "  \(name): { \(source.joined(separator: ", ")) }\n"
        }
        var policies = ""
        for policy in ["stale_while_revalidate", "stale_if_error"] where isDrawn(60) {
            policies += "    \(policy): \(one(["500ms", "5s"]))\n"
        }
        if isDrawn(30) { policies += "    refresh_ahead: \(one(["0.3", "0.8"]))\n" }
        return Setting(tiers: tiers.joined(separator: ", "), policies: policies, model: model)
    }

    @Test
    func `A rule that the machine does not know is played by the engine alone, and said`() async throws {
        let pipeline = try SimulatedTown.pipeline(
            "{ source: memory, ttl: 1s }, api", "    deadline: 10ms\n", model: "sources:\n  api: { takes: 20ms }\n")
        let trace = SimulatedTown.trace([(0, 0), (100, 1)])

        let result = try await Simulation(trace).result(of: Variant("friends", pipeline))

        #expect(result.reasons == ["`deadline`"])
        #expect(result.counts.failed == 2)
        #expect(SimulationReport(pipeline: "friends", trace: trace, [result]).text.contains("played by the engine alone"))
    }

    @Test
    func `OS-13 Memory keeps by entries and by bytes what the memory source keeps`() async throws {
        for bound in ["max_entries: 40", "max_entries: 1000, max_bytes: 20KB"] {
            let sources = SimulatedTown.sources.replacing("max_entries: 100", with: bound)
            let pipeline = try SimulatedTown.pipeline(
                "{ source: memory }, api", model: "sources:\n  api: { size: 300B, changes: { every: 3s } }\n", sources: sources)
            let trace = SimulatedTown.trace(seed: 5, requests: 9_000, keys: 400, every: 1)

            let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

            #expect(engine == machine)
            #expect(Set(machine.compactMap { $0?.tier }) == [0, 1])
        }
    }
}
