import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// What `explain` says of ages, held against pipelines that run: random tiers, ttls, routes and windows, on a manual clock.
@Suite struct ExplainedAgeTests {
    private struct Scene {
        let time = ManualClock()
        let origin: StubOrigin
        let pipeline: DataPipeline
        let facts: PipelineFacts

        init(_ tiers: String, writeBack: String, policies: String) throws {
            let origin = StubOrigin("o", clock: time.clock)
            let report = Reading.report(
                """
                sources: { a: { type: memory }, b: { type: memory }, c: { type: memory }, o: { type: stub } }
                pipelines: { p: { \(policies)write_back: \(writeBack), tiers: [\(tiers)] } }
                """, plugins: [.memory, SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in origin }])
            self.origin = origin
            pipeline = try Pipelines(report, clock: time.clock).pipeline(named: "p")
            facts = PipelineFacts(try report.plan.pipeline("p"))
        }
    }

    private static func scene(_ random: inout SplitMix64) throws -> Scene {
        let ttls = ["none", "1s", "2s", "5s", "9s"]
        let caches = ["a", "b", "c"].shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
        var tiers = caches.map { cache in
            let ttl = ttls.randomElement(using: &random) ?? "none"
            let more = ["", "", "", ", read: false", ", write: false", ", jitter: 0.5"].randomElement(using: &random) ?? ""
            return "{ source: \(cache), ttl: \(ttl)\(more) }"
        }
        tiers.insert("o", at: [tiers.count, tiers.count, 0].randomElement(using: &random) ?? 0)
        let writable = caches.filter { cache in !tiers.contains { $0.contains("source: \(cache)") && $0.contains("write: false") } }
        let routes = (caches + ["o"]).map { from in
            "\(from): [\(writable.filter { $0 != from && Bool.random(using: &random) }.joined(separator: ", "))]"
        }
        let writeBack = Bool.random(using: &random) ? "auto" : "{ \(routes.joined(separator: ", ")) }"
        let windows = ["", "", "stale_while_revalidate: 2s, ", "stale_if_error: 4s, ", "stale_while_revalidate: 1s, stale_if_error: 3s, "]
        return try Scene(tiers.joined(separator: ", "), writeBack: writeBack, policies: windows.randomElement(using: &random) ?? "")
    }

    @Test(arguments: 0..<60) func `no value is older than explained, and no cache that is never filled has one`(_ seed: UInt64) async throws
    {
        var random = SplitMix64(seed: seed)
        let scene = try Self.scene(&random)
        let lives = scene.facts.longestLives
        let longest = scene.facts.askedCaches.compactMap { lives[$0.name] }.max() ?? .limited(.zero)
        let window = max(scene.facts.whileRevalidating ?? .zero, scene.facts.ifError ?? .zero)

        for _ in 0..<80 {
            scene.origin.answers(Int.random(in: 0..<3, using: &random) == 0 ? .error() : "[1]")
            scene.time.advance(by: .milliseconds(Int.random(in: 0...1_500, using: &random)))
            let outcome = try await scene.pipeline.fetch()
            try await outcome.waitForWrites()
            await scene.pipeline.finishRefreshes()

            if let age = outcome.age, case .limited(let life) = longest {
                #expect(age <= (outcome.isStale ? life + window : life), "\(scene.pipeline.spec)")
            }
            for attempt in outcome.attempts where attempt.source != "o" && lives[attempt.source] == nil {
                #expect([.miss, .skipped].contains(attempt.outcome), "\(attempt)")
            }
        }
    }

    @Test func `the age that is explained is reached`() async throws {
        // A copy of 9 s is copied in its last moment into memory that keeps copies for 1 h.
        let scene = try Scene("{ source: a, ttl: 1h }, { source: b, ttl: 9s }, o", writeBack: "{ o: [b], b: [a] }", policies: "")
        scene.origin.answers("[1]")

        #expect(scene.facts.longestLives["a"] == .limited(.seconds(9)))
        _ = try await scene.pipeline.fetch()
        scene.time.advance(by: .milliseconds(8_999))
        let last = try await scene.pipeline.fetch()
        let copied = try await scene.pipeline.fetch()
        scene.time.advance(by: .milliseconds(1))
        let anew = try await scene.pipeline.fetch()

        #expect(last.source == "b" && copied.source == "a" && copied.age == .milliseconds(8_999))
        #expect(anew.source == "o")
    }
}
