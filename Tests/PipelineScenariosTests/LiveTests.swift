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
        ("{ disconnect: api }, { expect: { api: { calls: 0 } } }", "`api` reports no changes"),
    ])
    func `a name that is not that of a change source`(steps: String, message: String) {
        let text = Written.test(pipeline: "friends", "\(steps)")

        #expect(Written.suite(text, config: "live.yaml").diagnostics.map(\.message) == [message])
    }

    @Test func `a step that nothing can end hangs, and says so at once`() async {
        let text = Written.test(pipeline: "friends", given: "{ api: '[]' }", "{ reconnect: events }, { expect: { api: { calls: 0 } } }")
        let tested = await Tested.play(Written.suite(text, config: "live.yaml"))

        #expect(tested.outcomes.first?.failure?.message == "hangs, and nothing is scheduled any more")
        #expect(tested.outcomes.first?.failure?.word == "reconnect")
    }
}
