import PipelineConfig
import PipelineReports
import PipelineScenarios
import Testing

/// What `validate`, `explain` and coverage say of the tiers below one that ends every fetch, held against what is asked.
struct ReachTests {
    /// The sources that pipelines are said to ask by no fetch of the policy `default`.
    struct Case: Sendable, CustomTestStringConvertible {
        let pipeline: String
        let given: String
        let steps: String
        let unasked: [String]

        var testDescription: String { pipeline }

        static let all = [
            Case(pipeline: "closed", given: "{ api: ['[1]', always: error] }", steps: steps, unasked: ["disk"]),
            // A window of 0s lets no stale copy be served.
            Case(pipeline: "over", given: "{ api: ['[1]', always: error] }", steps: steps, unasked: ["disk"]),
            // A fresh copy below takes the place of the stale one.
            Case(pipeline: "renewed", given: "{ api: '[1]' }", steps: steps, unasked: []),
            // Origins rest for a second after a failed load, and the cache below answers.
            Case(pipeline: "rested", given: "{ api: ['[1]', always: error] }", steps: steps, unasked: []),
            // A load of what always answers never fails.
            Case(pipeline: "certain", given: "{ disk: { holds: '[5]' } }", steps: steps, unasked: ["disk"]),
            Case(pipeline: "spare", given: "{ api: ['[1]', always: error], backup: '[2]' }", steps: steps, unasked: ["backup"]),
            // A refresh ahead of time asks the origin before what stands below it.
            Case(
                pipeline: "ahead", given: "{ api: '[1]' }", steps: "{ fetch: { stale: false } }, { wait: 9s }, fetch, { wait: 1ms }, fetch",
                unasked: ["disk"]),
        ]

        private static let steps = "{ fetch: { stale: false } }, { wait: 10s }, fetch, { wait: 10ms }, fetch, { wait: 5s }, fetch"
    }

    @Test(arguments: Case.all) func `a tier is said to be asked where a fetch comes to it`(_ each: Case) async throws {
        let suite = Written.suite(Written.test(pipeline: each.pipeline, given: each.given, each.steps), config: "reach.yaml")
        let tested = await Tested.play(suite)
        let outcome = try #require(tested.outcomes.first)
        #expect(outcome.hasPassed, "\(Tested.report(of: tested))")
        let attempts = outcome.events.flatMap(\.parts).filter { $0.kind == .attempt && $0.outcome != "skipped" }
        let asked = Set(attempts.map(\.source))
        let plan = try #require(try suite.report?.plan.pipeline(each.pipeline))
        #expect(plan.tiers.map(\.source.name).filter { !asked.contains($0) } == each.unasked)

        let places = Set((suite.report?.diagnostics ?? []).filter { $0.code == .unreachableTier }.map(\.range))
        #expect(plan.tiers.filter { tier in tier.places.range.map(places.contains) ?? false }.map(\.source.name) == each.unasked)
        let text = ExplanationText(file: "", hasColour: false).text([Explanation(plan)])
        #expect(plan.tiers.map(\.source.name).filter { text.contains("`\($0)` is never asked") } == each.unasked)
        #expect(Coverage(of: [tested]).unplanned.sorted() == [])
    }

    @Test func `a cache that is asked beside a stale copy alone is no next tier`() throws {
        let suite = Written.suite(Written.test(pipeline: "renewed", "fetch"), config: "reach.yaml")
        let plan = try #require(try suite.report?.plan.pipeline("renewed"))

        let text = ExplanationText(file: "", hasColour: false).text([Explanation(plan)])

        #expect(text.contains("asks `memory` first, then `api` (http), and stops at the first answer."))
        #expect(text.contains("`disk` is asked only beside a stale copy: `api` above it answers, says that there is no value or"))
    }

    @Test func `a cache below that takes the place of a stale copy is counted`() async {
        let text = Written.test(pipeline: "renewed", "fetch, { wait: 10s }, { fetch: { from: disk } }")
        let coverage = Coverage(of: [await Tested.play(Written.suite(text, config: "reach.yaml"))])

        let points = coverage.configs.flatMap(\.orders).flatMap(\.points).filter { $0.reached > 0 }
        #expect(points.contains { $0.id.element == "stale_while_revalidate" && $0.id.branch == "found below" })
        #expect(coverage.unplanned.isEmpty)
    }
}
