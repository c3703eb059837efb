import PipelineScenarios
import Testing

/// Scenarios of pipelines that are made from others.
struct CombineTests {
    @Test func `each scenario comes to what the rules say`() async {
        let tested = await Tested.play(Tested.suite("combine.test.yaml"), seeds: 1...4)

        #expect(tested.outcomes.count >= 5)
        #expect(Tested.report(of: tested) == "")
    }
}
