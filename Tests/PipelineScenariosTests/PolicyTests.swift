import PipelineConfig
import PipelineScenarios
import Testing

/// A table of scenarios over all policies, whose answers follow from the rules of loading, and not from the program.
struct PolicyTests {
    private static let file = "policies.test.yaml"

    @Test func `each scenario comes to what the rules say`() async {
        let tested = await Tested.play(Tested.suite(Self.file))

        #expect(tested.outcomes.count >= 60)
        #expect(Tested.report(of: tested) == "")
    }

    @Test func `each scenario comes to the same with other seeds`() async {
        let tested = await Tested.play(Tested.suite(Self.file), seeds: 2...12)

        #expect(Tested.report(of: tested) == "")
    }

    @Test(arguments: Breakage.all) func `a rule that is broken is noticed by the scenario meant for it`(breakage: Breakage) async throws {
        let suite = Tested.suite(Self.file)
        let report = try #require(suite.config.flatMap(breakage.report))
        let broken = suite.testing(report)
        let runs = broken.runs.filter { $0.scenario.name.value == breakage.scenario }

        let tested = await TestedSuite.play(runs, of: broken, seeds: 1...1)

        #expect(broken.isUsable, "\(report.diagnostics.map(\.message))")
        #expect(!runs.isEmpty)
        #expect(tested.hasFailed)
    }

    @Test func `a run is the same each time`() async {
        let suite = Tested.suite(Self.file)

        let one = await Tested.play(suite, seeds: 7...7)
        let other = await Tested.play(suite, seeds: 7...7)

        #expect(one.outcomes.map(\.digest) == other.outcomes.map(\.digest))
        #expect(Set(one.outcomes.map(\.digest)).count > 50)
    }
}
