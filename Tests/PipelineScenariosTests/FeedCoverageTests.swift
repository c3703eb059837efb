import PipelineConfig
import PipelineScenarios
import Testing

/// Feeds in coverage, mutation and exploring.
struct FeedCoverageTests {
    private static let given = #"{ api: { is: '[{"id":1,"v":1}]', takes: 10ms } }"#

    private static func points(_ text: String, of pipeline: String, where isCounted: (CoveragePoint) -> Bool) async -> Set<String> {
        let suite = Written.suite(text, config: "feeds.yaml")
        #expect(suite.diagnostics.filter { $0.severity == .error }.map(\.message) == [], "\(text)")
        let coverage = Coverage(of: [await Tested.play(suite)])
        let order = coverage.configs.first?.orders.first { $0.pipeline == pipeline }
        return Set((order?.points ?? []).filter(isCounted).map { "\($0.id.element) \($0.id.branch)" })
    }

    private static func reached(_ pipeline: String, _ steps: String) async -> Set<String> {
        let text = Written.test(pipeline: pipeline, given: given, steps + ", { expect: { api: { calls: 99 } } }")
        return await points(text, of: pipeline) { $0.reached > 0 }
    }

    @Test(arguments: FeedPoint.all) func `a point of a feed is reached when it happens, and only then`(point: FeedPoint) async {
        let name = "\(point.element) \(point.branch)"

        let reached = await Self.reached(point.pipeline, point.steps)
        let nearly = await Self.reached(point.pipeline, point.nearly)

        #expect(reached.contains(name), "\(reached.sorted())")
        #expect(!nearly.contains(name), "\(nearly.sorted())")
    }

    @Test func `each kind of point of a feed has a scenario`() async {
        let all = await ["merged", "addressed", "counted", "confirmed", "told", "polled"].asyncFlatMap { pipeline in
            await Self.points(Written.test(pipeline: "told", "{ fetch: { from: api } }"), of: pipeline) { _ in true }
        }
        let ofFeeds = Set(all.filter { $0.hasPrefix("events") || $0.hasPrefix("tick") })

        #expect(ofFeeds == Set(FeedPoint.all.map { "\($0.element) \($0.branch)" }))
    }

    @Test(arguments: [
        (", { fetch: { took: 0s } }", []),
        (
            #", { fetch: { json: [{ id: 1, v: 1 }, { op: set, id: 2, v: 1 }] } }"#,
            ["events insert inserted", "events merged", "events op upsert"]
        ),
        (
            #", { expect: { memory: { holds: '[{"id":1,"v":1},{"op":"set","id":2,"v":1}]' } } }"#,
            ["events insert inserted", "events merged", "events op upsert"]
        ),
    ])
    func `a message is asserted when an expectation looks at what it changed`(steps: String, points: [String]) async {
        let text = Written.test(
            pipeline: "merged", given: Self.given,
            #"fetch, { wait: 1s }, { message: { events: '{"op":"set","id":2,"v":1}' } }"# + steps)

        let asserted = await Self.points(text, of: "merged") { $0.asserted > 0 && $0.id.element.hasPrefix("events") }

        #expect(asserted.subtracting(["events live"]).sorted() == points)
    }

    @Test(arguments: [1, 2]) func `random messages keep every rule, and reach nothing that cannot happen`(seed: UInt64) async {
        let suite = Written.suite(Written.test(pipeline: "told", "{ fetch: { from: api } }"), config: "feeds.yaml")
        let nothing = Invariant { run in
            let unplanned = Coverage(of: [TestedSuite(suite, outcomes: [run.outcome])]).unplanned
            return unplanned.first.map { Invariant.Violation(step: 1, message: $0, expected: "error: true") }
        }

        let exploration = await Exploration.of(suite, steps: 6_000, seed: seed, invariants: Invariant.all + [nothing])

        #expect(exploration.findings.map { "\($0.pipeline): \($0.message)\n\($0.test ?? "")" } == [])
    }

    @Test func `changes of a feed survive tests without messages, and the proposed tests kill them`() async throws {
        func mutation(_ text: String) async throws -> Mutation {
            let tested = await Tested.play(Written.suite(text, config: "feeds.yaml"))
            try #require(Tested.report(of: tested) == "")
            return try #require(await Mutation.of([tested], plugins: Tested.plugins, seed: 1, steps: 2_000).first)
        }
        let text = """
            tests:
              - { name: one, pipeline: merged, given: { api: '[{"id":1,"v":1}]' }, steps: [{ fetch: { from: api } }] }

            """

        let before = try await mutation(text)
        let ofFeed = before.results.filter { $0.mutant.summary.contains("`events`") }
        let proposed = ofFeed.compactMap { result in if case .survived(let test) = result.fate { test } else { nil } }
        let after = try await mutation(text + proposed.joined())

        #expect(
            ofFeed.map(\.mutant.summary) == [
                "`events` is dropped", "`id: /id` of `events` is dropped, with what needs it", "`op` of `events` is dropped",
                "`insert: last` of `events` is dropped", "`insert: last` of `events` is `first`", "`version: /v` of `events` is dropped",
            ])
        #expect(ofFeed.allSatisfy { $0.fate != .killed && $0.fate != .equivalent })
        #expect(after.results.filter { $0.mutant.summary.contains("`events`") && $0.fate != .killed }.map(\.mutant.summary) == [])
    }
}

extension Array {
    fileprivate func asyncFlatMap<Value>(_ body: (Element) async -> some Sequence<Value>) async -> [Value] {
        var values: [Value] = []
        for element in self { values += await body(element) }
        return values
    }
}
