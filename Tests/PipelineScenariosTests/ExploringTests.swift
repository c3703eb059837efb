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
        #expect(exploration.findings.map { "\($0.pipeline): \($0.message)\n\($0.test ?? "")" } == [])
    }

    @Test(arguments: [1, 2]) func `the engine keeps every rule in composites whose parts answer`(seed: UInt64) async throws {
        let suite = Tested.suite("combine.test.yaml")

        let exploration = await Exploration.of(suite, steps: 8_000, seed: seed)

        #expect(exploration.findings.map { "\($0.pipeline): \($0.message)\n\($0.test ?? "")" } == [])
    }

    @Test(arguments: [1, 2, 3]) func `the engine keeps every rule of lists that feeds change`(seed: UInt64) async throws {
        let suite = Tested.suite("live.test.yaml")

        let exploration = await Exploration.of(suite, steps: 4_000, seed: seed)

        #expect(exploration.findings.map { "\($0.pipeline): \($0.message)\n\($0.test ?? "")" } == [])
    }

    @Test func `the origins of parts answer, and a test of a composite shows what they lead to`() async throws {
        // A whole that memory keeps, after a part has failed in another.
        let isKept = Invariant { run in
            let words = run.outcome.events.filter { $0.kind == .fetch }.map { event in (event.step, event.parts.map(\.text)) }
            guard let failed = words.firstIndex(where: { $0.1.contains { $0.hasPrefix("combine error") } }),
                let kept = words[failed...].first(where: { $0.1 == ["memory hit"] })
            else { return nil }
            return Invariant.Violation(step: kept.0, message: "a whole was kept", expected: "from: combine")
        }
        let exploration = await Exploration.of(Tested.suite("combine.test.yaml"), steps: 8_000, seed: 1, invariants: [isKept])

        let finding = try #require(exploration.findings.first { $0.pipeline == "home" })
        let test = "tests:\n" + (try #require(finding.test))
        let shown = Written.suite(test, config: "combine.yaml")
        let outcome = try #require(await Tested.play(shown).outcomes.first)
        #expect(outcome.failure?.message.hasPrefix("from is memory") == true, "\(test) \(outcome.failure?.message ?? "")")
        #expect(test.contains("friends:"), "\(test)")
    }

    @Test func `what is interrupted tells what it had`() async throws {
        let (seen, told) = AsyncStream.makeStream(of: Void.self)
        let counting = Invariant { _ in
            told.yield()
            return nil
        }
        let suite = Written.suite(Written.test("{ fetch: { from: api } }"))
        let task = Task { await Exploration.of(suite, steps: 1_000_000_000, seed: 1, invariants: [counting]) }
        for await _ in seen.prefix(2) {}
        task.cancel()

        let exploration = await task.value

        #expect(exploration.steps >= 20 && exploration.left > 900_000_000)
        let text = ExplorationReport([(file: "pipeline.yaml", exploration: exploration)]).text
        #expect(text == "\(exploration.steps) random steps, no violation; interrupted, \(exploration.left) steps left\n")
    }

    @Test func `a test that is interrupted has no outcome, nor have those after it`() async {
        let suite = Written.suite(Written.test(pipeline: "polled", "{ fetch: { from: api } }, { wait: 36500d }"), config: "live.yaml")
        let task = Task { await TestedSuite.play(suite.runs, of: suite, seeds: 1...UInt64.max, atMost: .max) }
        task.cancel()

        #expect(await task.value.outcomes.isEmpty)
    }

    @Test func `a violation is shrunk to a test that shows it`() async throws {
        let isStale = Invariant { run in
            let event = run.outcome.events.first { $0.parts.contains { $0.outcome == "stale" } }
            return event.map { Invariant.Violation(step: $0.step, message: "a copy was stale", expected: "stale: false") }
        }
        let suite = Written.suite(Written.test(pipeline: "plain", "{ fetch: { from: api } }"))

        let exploration = await Exploration.of(suite, steps: 8_000, seed: 1, invariants: [isStale])

        let finding = try #require(exploration.findings.first { $0.pipeline == "while" })
        let found = try #require(finding.test)
        let test = "tests:\n" + found
        let shown = Written.suite(test)
        let outcome = try #require(await Tested.play(shown).outcomes.first)
        #expect(shown.isUsable, "\(test)")
        #expect(outcome.failure?.message == "stale is true, expected false", "\(test)")
        #expect(test.split(separator: "\n").count <= 9, "\(test)")
        #expect(
            exploration.findings.allSatisfy { ["while", "after", "soft", "fallback", "counted", "bottom-while"].contains($0.pipeline) })
        #expect(ExplorationReport([("pipeline.yaml", exploration)]).text.contains(found))
    }

    /// A refresh that ended in a step that fetches nothing.
    private static func lateRefresh(expecting expected: String) -> Invariant {
        Invariant { run in
            let fetched = Set(run.outcome.events.filter { $0.kind == .fetch }.map(\.step))
            let event = run.outcome.events.first { event in
                event.kind == .refresh && !fetched.contains(event.step) && event.parts.contains { $0.outcome == "hit" }
            }
            return event.map { Invariant.Violation(step: $0.step, message: "a refresh ended late", expected: expected) }
        }
    }

    @Test func `what happened in the background is shown by the fetch after it, in a test that fails`() async throws {
        let text = Written.test(pipeline: "while", "{ fetch: { from: api } }")
        let suite = Written.suite(text, config: "refreshed.yaml")

        let exploration = await Exploration.of(suite, steps: 6_000, seed: 1, invariants: [Self.lateRefresh(expecting: "stale: true")])

        let finding = try #require(exploration.findings.first)
        let test = try #require(finding.test)
        let shown = Written.suite("tests:\n" + test, config: "refreshed.yaml")
        #expect(test.split(separator: "\n").last == "      - fetch: { stale: true }", "\(test)")
        #expect(await Tested.play(shown).outcomes.first?.failure?.message == "stale is false, expected true", "\(test)")
    }

    @Test func `a violation that no fetch shows is told without a test`() async throws {
        let text = Written.test(pipeline: "while", "{ fetch: { from: api } }")
        let suite = Written.suite(text, config: "refreshed.yaml")

        let exploration = await Exploration.of(suite, steps: 6_000, seed: 1, invariants: [Self.lateRefresh(expecting: "times: 1")])

        let finding = try #require(exploration.findings.first)
        #expect(finding.test == nil)
        #expect(
            ExplorationReport([("pipeline.yaml", exploration)]).text.hasPrefix(
                "✗ pipeline.yaml: while: a refresh ended late. It happened in the background; no fetch shows it.\n"))
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
