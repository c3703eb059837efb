import PipelineConfig
import PipelineReports
import PipelineScenarios
import Testing

/// Random steps, checked against the rules that every run keeps.
struct ExploringTests {
    @Test(arguments: [1, 2, 3]) func `the engine keeps every rule in each pipeline of the table`(seed: UInt64) async {
        let suite = Written.suite(Written.test("{ fetch: { from: api } }"))

        let exploration = await Exploration.of(suite, steps: 8_000, seed: seed)

        #expect(exploration.steps >= 8_000)
        #expect(exploration.findings.map { "\($0.pipeline): \($0.message)\n\($0.test)" } == [])
    }

    @Test func `a violation is shrunk to a test that shows it`() async throws {
        let isStale = Invariant { run in
            let event = run.outcome.events.first { $0.parts.contains { $0.outcome == "stale" } }
            return event.map { Invariant.Violation(step: $0.step, message: "a copy was stale", expected: "stale: false") }
        }
        let suite = Written.suite(Written.test(pipeline: "plain", "{ fetch: { from: api } }"))

        let exploration = await Exploration.of(suite, steps: 8_000, seed: 1, invariants: [isStale])

        let finding = try #require(exploration.findings.first { $0.pipeline == "while" })
        let test = "tests:\n" + finding.test
        let shown = Written.suite(test)
        let outcome = try #require(await Tested.play(shown).outcomes.first)
        #expect(shown.isUsable, "\(test)")
        #expect(outcome.failure?.message == "stale is true, expected false", "\(test)")
        #expect(test.split(separator: "\n").count <= 9, "\(test)")
        #expect(exploration.findings.allSatisfy { ["while", "after", "soft", "fallback", "counted"].contains($0.pipeline) })
        #expect(ExplorationReport([("pipeline.yaml", exploration)]).text.contains(finding.test))
    }

    @Test func `a seed gives the same steps each time`() async {
        let never = Invariant { run in
            run.outcome.events.contains { $0.parts.contains { $0.outcome == "timeout" } }
                ? Invariant.Violation(
                    step: run.outcome.events.first { $0.parts.contains { $0.outcome == "timeout" } }?.step ?? 1, message: "late",
                    expected: "took: 0s")
                : nil
        }
        let suite = Written.suite(Written.test("{ fetch: { from: api } }"))

        let one = await Exploration.of(suite, steps: 4_000, seed: 7, invariants: [never])
        let other = await Exploration.of(suite, steps: 4_000, seed: 7, invariants: [never])

        #expect(!one.findings.isEmpty)
        #expect(one.findings.map(\.test) == other.findings.map(\.test))
    }
}
