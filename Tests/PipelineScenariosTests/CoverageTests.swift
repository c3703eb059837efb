import PipelineConfig
import PipelineReports
import PipelineScenarios
import PipelineYAML
import Testing

/// What is counted as reached and as asserted.
struct CoverageTests {
    private static func coverage(_ text: String, config: String = "policies.yaml", byOrder: Bool = false) async -> Coverage {
        Coverage(of: [await Tested.play(Written.suite(text, config: config))], byOrder: byOrder)
    }

    /// `memory hit`, for each point of the pipeline in its own order that is `counted`.
    private static func points(_ coverage: Coverage, of pipeline: String, where isCounted: (CoveragePoint) -> Bool) -> Set<String> {
        let order = coverage.configs.first?.orders.first { $0.pipeline == pipeline && $0.title == nil }
        return Set((order?.points ?? []).filter(isCounted).map { "\($0.id.element) \($0.id.branch)" })
    }

    private static func reached(_ pipeline: String, _ given: String, _ steps: String) async -> Set<String> {
        points(await coverage(Written.test(pipeline: pipeline, given: given, steps + ", { expect: { api: { calls: 99 } } }")), of: pipeline)
        {
            $0.reached > 0
        }
    }

    private static func asserted(_ pipeline: String, _ given: String, _ steps: String) async -> Set<String> {
        points(await coverage(Written.test(pipeline: pipeline, given: given, steps)), of: pipeline) { $0.asserted > 0 }
    }

    @Test(arguments: CoveredPoint.all) func `a point is reached when it happens, and only then`(point: CoveredPoint) async {
        let name = "\(point.element) \(point.branch)"

        let reached = await Self.reached(point.pipeline, point.given, point.steps)
        let nearly = await Self.reached(point.pipeline, point.nearlyGiven, point.nearly)

        #expect(reached.contains(name), "\(reached.sorted())")
        #expect(!nearly.contains(name), "\(nearly.sorted())")
        #expect(!nearly.isEmpty || point.nearly == "{ wait: 1s }" || point.nearly.contains("no-store"))
    }

    /// Every kind of point stands in the table above.
    @Test func `each kind of point has a scenario`() async {
        let coverage = await Self.coverage(Written.test("{ fetch: { from: api } }"))
        func kind(_ element: String, _ branch: String) -> String {
            let words = element.split(separator: " ")
            let isSource = words.count == 1 && ["memory", "disk", "far", "api", "backup", "standard"].contains(element)
            return isSource ? "tier \(branch)" : words.first == "write_back" ? "write_back" : "\(words.last ?? "") \(branch)"
        }
        let kinds = Set(coverage.configs.flatMap(\.orders).flatMap(\.points).map { kind($0.id.element, $0.id.branch) })
        let covered = Set(CoveredPoint.all.map { kind($0.element, $0.branch) })

        #expect(kinds.subtracting(covered).sorted() == ["write skipped"])
    }

    @Test(arguments: [
        ("{ fetch: {} }", []),
        ("{ fetch: { from: api } }", ["api hit"]),
        ("{ fetch: { is: '[1]' } }", ["api hit"]),
        ("{ fetch: { tiers: [memory miss, disk miss, api hit] } }", ["api hit", "disk miss", "memory miss"]),
        (
            "{ fetch: { writes: [memory written, disk scheduled] } }",
            ["disk write scheduled", "memory write written", "write_back api → disk written", "write_back api → memory written"]
        ),
        ("fetch, { expect: { api: { calls: 1 } } }", ["api hit"]),
        ("fetch, { wait: 2s }, { expect: { disk: { reads: 1 } } }", ["disk miss"]),
        (
            "fetch, { wait: 2s }, { expect: { disk: { holds: '[1]' } } }",
            ["disk debounce late", "disk write scheduled", "disk write written", "write_back api → disk written"]
        ),
        ("fetch, kill, { expect: { disk: empty } }", ["disk debounce dropped", "disk write scheduled", "write_back api → disk written"]),
        ("fetch, { fetch: { from: memory } }", ["memory hit", "memory write written", "write_back api → memory written"]),
    ])
    func `a point is asserted when an expectation depends on it`(steps: String, points: [String]) async {
        let asserted = await Self.asserted("late", "{ api: '[1]' }", steps)

        #expect(asserted.sorted() == points)
    }

    @Test func `what cannot happen is not counted`() async {
        let coverage = await Self.coverage(Written.test("{ fetch: { from: api } }"))
        func all(_ pipeline: String) -> Set<String> { Self.points(coverage, of: pipeline) { _ in true } }

        #expect(
            all("plain").sorted() == [
                "api error", "api hit", "api invalid", "api not_found", "api timeout", "memory expired", "memory hit", "memory miss",
                "memory ttl crossed", "memory write renewed", "memory write skipped", "memory write written",
                "write_back api → memory written",
            ])
        #expect(!all("plain").contains("memory error"))
        // A value that is put is written there.
        #expect(all("nowhere").filter { $0.contains("write") } == ["memory write written"])
        #expect(all("network").contains("disk write unchanged"))
        #expect(!all("unwritten").contains { $0.hasPrefix("disk write") || $0.hasSuffix("→ disk written") })
        #expect(all("unread").filter { $0.hasPrefix("memory ") && !$0.contains("write") } == ["memory skipped"])
        #expect(all("fallback").filter { $0.hasPrefix("standard") } == ["standard hit"])
    }

    @Test func `every point that a run of the table of policies reaches is one that can happen`() async {
        let tested = await Tested.play(Tested.suite("policies.test.yaml"))
        let coverage = Coverage(of: [tested])

        #expect(coverage.unplanned.sorted() == [])
        #expect(coverage.count.asserted <= coverage.count.reached)
        #expect(coverage.count.reached < coverage.count.all)
    }

    @Test func `a fetch in an order of its own counts where tests run in that order, and nowhere else`() async {
        let own = await Self.coverage(Written.test(pipeline: "two", "{ fetch: { order: [api, disk], from: api } }"))
        #expect(own.configs.first?.orders.filter { $0.pipeline == "two" }.map(\.title) == [nil])
        #expect(Self.points(own, of: "two") { $0.reached > 0 } == [])

        let both = await Self.coverage(
            """
            orders: { other: [api, disk] }
            tests:
              - { name: one, pipeline: two, given: { api: '[1]' }, steps: [{ fetch: { order: [api, disk], from: api } }] }
              - { name: two, pipeline: two, in: other, given: { api: '[1]' }, steps: [{ fetch: { from: api } }] }
            """, byOrder: true)
        let other = both.configs.first?.orders.first { $0.title == "other" }
        #expect(other?.points.first { $0.id == .init("api", "hit") }?.asserted == 2)
    }

    @Test func `a point that several orders have counts once, and is reached in any`() async throws {
        func tests(_ order: String) -> String {
            """
            orders: { other: [api, disk, memory], same: [memory, disk, api] }
            tests:
              - { name: one, pipeline: two, given: { api: '[1]' }, steps: [{ fetch: { tiers: [memory miss, disk miss, api hit] } }] }
              - { name: two, pipeline: two, \(order)given: { api: error }, steps: [{ fetch: { error: true, times: 2 } }] }

            """
        }
        let own = await Self.coverage(tests("")).count
        let same = await Self.coverage(tests("in: same, ")).count
        let merged = await Self.coverage(tests("in: other, "))
        let separate = await Self.coverage(tests("in: other, "), byOrder: true)

        #expect(own == same)
        let points = try #require(merged.configs.first?.orders.filter { $0.pipeline == "two" })
        let orders = try #require(separate.configs.first?.orders.filter { $0.pipeline == "two" })
        #expect(points.map(\.title) == [nil] && orders.map(\.title) == [nil, "other"])
        #expect(Set(points[0].points.map(\.id)) == Set(orders.flatMap(\.points).map(\.id)))
        #expect(points[0].points.count == Set(points[0].points.map(\.id)).count)
        #expect(points[0].points.map(\.range.start) == points[0].points.map(\.range.start).sorted())
        // Reached in one order, asserted in the other.
        #expect(points[0].points.first { $0.id == .init("api", "hit") }?.asserted == 1)
        #expect(points[0].points.first { $0.id == .init("api", "error") }?.asserted == 1)
    }

    @Test func `random steps reach nothing that cannot happen`() async {
        let suite = Written.suite(Written.test("{ fetch: { from: api } }"))
        let nothing = Invariant { run in
            let unplanned = Coverage(of: [TestedSuite(suite, outcomes: [run.outcome])]).unplanned
            return unplanned.first.map { Invariant.Violation(step: 1, message: $0, expected: "error: true") }
        }

        let exploration = await Exploration.of(suite, steps: 6_000, seed: 2, invariants: [nothing])

        #expect(exploration.findings.map { "\($0.pipeline): \($0.message)" } == [])
    }

    @Test func `the outputs show each point`() async {
        let coverage = await Self.coverage(
            """
            orders: { reversed: [api, memory] }
            tests:
              - { name: one, pipeline: plain, given: { api: '[1]' }, steps: [{ fetch: { from: api } }] }
              - { name: other, pipeline: plain, in: reversed, given: { api: '[1]' }, steps: [fetch, { expect: { api: { calls: 1 } } }] }
            """, config: "covered.yaml", byOrder: true)
        let report = CoverageReport(coverage)
        func stripped(_ text: String) -> String { text.replacing(Tested.folder, with: "") }

        #expect(stripped(report.text) == Golden.text("coverage.txt"))
        #expect(stripped(report.json) == Golden.text("coverage.json"))
        #expect(stripped(report.lcov) == Golden.text("coverage.lcov"))
        #expect(stripped(report.github) == Golden.text("coverage.github"))
        #expect(stripped(report.html) == Golden.text("coverage.html"))
    }
}

/// Files of the folder `Scenarios/Goldens`.
private enum Golden {
    static func text(_ name: String) -> String {
        String(decoding: ConfigFile(path: Tested.folder + "Goldens/" + name).text, as: UTF8.self)
    }
}
