import PipelineScenarios
import Testing

/// The eight examples of the contract, on the real engine.
struct ExampleTests {
    @Test func `each example passes`() async {
        let tested = await Tested.play(Tested.suite("examples.test.yaml"))

        #expect(tested.outcomes.count == 9)
        #expect(Tested.report(of: tested) == "")
    }
}
