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

    @Test(arguments: [("polled", "{ api: '[]' }"), ("friends", "{ api: '[]', events: { down: true } }")])
    func `a wait in which too much happens fails, and little of that is kept`(pipeline: String, given: String) async throws {
        let text = Written.test(pipeline: pipeline, given: given, "{ fetch: { is: '[]' } }, { wait: 36500d }")
        let suite = Written.suite(text, config: "live.yaml")

        let outcome = try #require(await TestedSuite.play(suite.runs, of: suite, seeds: 1...1, atMost: 30_000).outcomes.first)

        let failure = try #require(outcome.failure)
        #expect(failure.word == "wait")
        #expect(failure.message.hasPrefix("reaches the 30000 events that a test may have, at "))
        #expect(outcome.events.count < 600)
    }
}
