import PipelineConfig
import PipelineScenarios
import Testing

/// Live pipelines: a change source is played by the test.
struct LiveTests {
    @Test func `messages, lost connections and polls`() async {
        let tested = await Tested.play(Tested.suite("live.test.yaml"))

        #expect(tested.outcomes.count == 4)
        #expect(Tested.report(of: tested) == "")
    }

    @Test(arguments: [
        ("{ message: { evnts: x } }, { expect: { api: { calls: 0 } } }", "unknown change source `evnts`"),
        ("{ disconnect: api }, { expect: { api: { calls: 0 } } }", "`api` tells of no changes"),
    ])
    func `a name that is not that of a change source`(steps: String, message: String) {
        let text = Written.test(pipeline: "friends", "\(steps)")

        #expect(Written.suite(text, config: "live.yaml").diagnostics.map(\.message) == [message])
    }
}
