import Pipeline
import PipelineConfig
import PipelineReports
import PipelineScenarios
import Testing

/// How a failure is shown to people.
struct ReportTests {
    /// The report of the first test, without the time it took.
    private static func report(_ text: String) async -> String {
        let suite = Written.suite(text)
        guard let outcome = await Tested.play(suite).outcomes.first else { return "" }
        let text = ScenarioPrinter(suite, options: "", hasColour: false).text(outcome)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let head = lines[0].replacing(/, [0-9.]+ ms$/, with: "")
        return ([head] + lines.dropFirst()).joined(separator: "\n").replacing(Tested.folder, with: "")
    }

    @Test func `what a refresh skips is told of the refresh, and not of a fetch beside it`() async throws {
        let outcome = try #require(
            await Written.play(
                Written.test(
                    pipeline: "while",
                    """
                    fetch, { wait: 15s }, { set: { api: { is: '[2]', takes: 1s } } }, { fetch: { times: 2, at_once: true } }, fetch,
                    { wait: 2s }, { fetch: { from: memory, stale: false } }
                    """)))

        let refresh = try #require(outcome.events.first { $0.kind == .refresh })
        #expect(outcome.failure == nil)
        #expect(refresh.parts.map { "\($0.source) \($0.outcome)" } == ["memory skipped", "api hit"])
    }

    @Test func `a failure shows the field, the story and the lines that decided it`() async {
        let report = await Self.report(
            """
            orders: { cache-first: [memory, api] }
            tests:
              - name: the api is down after a night
                pipeline: after
                in: cache-first
                given: { api: ['["v1"]', error] }
                steps:
                  - fetch: { is: '["v1"]', from: api }
                  - wait: 12m
                  - fetch: { is: '["v1"]', stale: false }
            """)

        #expect(
            report == """
                ✗ the api is down after a night [cache-first]    12m virtual
                  pipeline.test.yaml:10:39: step 3 `fetch` at 12m: stale is true, expected false
                  10 |       - fetch: { is: '["v1"]', stale: false }
                     |                                       ^^^^^
                  0s   fetch  memory miss, api hit, memory written                                  policies.yaml:18
                  12m  fetch  memory stale (expired 11m50s ago, within stale_if_error), api error   policies.yaml:18 stale_if_error: 1h
                  again: pipe-run test pipeline.test.yaml:3 --order cache-first

                """)
    }

    @Test func `OT-02 a call without an answer names the call and the time`() async {
        let outcome = await Written.play(
            Written.test(given: "{ api: ['[1]', '[2]'] }", "fetch, { wait: 10s }, fetch, { wait: 10s }, { fetch: { is: '[2]' } }"))

        #expect(outcome?.failure?.message == "call 3 of `api` at 20s has no answer: its list has 2 answers")
        #expect(outcome?.failure?.step == 5)
        #expect(outcome?.failure?.range.start.line == 4)
    }

    @Test func `OT-02 a call for arguments that no answer is for names them`() async {
        let outcome = await Written.play(
            Written.test(
                pipeline: "keyed", given: "{ api: { user=42: '[1]' } }",
                "{ fetch: { with: { user: 42 }, is: '[1]' } }, { wait: 10s }, { fetch: { with: { user: 8 }, error: true } }"))

        #expect(outcome?.failure?.message == "`api` has no answer for `user=8` at 10s")
        #expect(outcome?.failure?.step == 3)
        #expect(outcome?.failure?.range.start.line == 4)
    }

    @Test func `OT-10 a restart with a failing disk names the key`() async {
        let outcome = await Written.play(
            Written.test(
                pipeline: "late", given: "{ api: '[1]', disk: { down: writes } }", "fetch, restart, { expect: { disk: empty } }"))

        #expect(outcome?.failure?.message == "`late` could not be written to `disk`")
    }

    @Test func `OT-17 a secret is masked in all that is shown`() async {
        let text = """
            environment: { TOKEN: "s3cret-of-mine" }
            tests:
              - name: one
                given: { api: { error: "no s3cret-of-mine" } }
                steps:
                  - fetch: { error: "never s3cret-of-mine" }
            """
        let suite = Written.suite(text, config: "secret.yaml")
        let tested = await Tested.play(suite)
        let report = Tested.report(of: tested)

        #expect(tested.hasFailed)
        #expect(report.contains("error is"))
        #expect(!report.contains("s3cret"))
        #expect(!tested.outcomes.contains { "\($0)".contains("s3cret") })
    }

    @Test func `OT-17 a secret that is an argument is masked in the story, and in the tests that are proposed`() async {
        func text(_ from: String) -> String {
            """
            environment: { TOKEN: s3cret-of-mine }
            tests:
              - name: one
                given: { api: '[1]' }
                steps:
                  - fetch: { with: { user: s3cret-of-mine }, from: \(from) }
            """
        }
        let failed = await Tested.play(Written.suite(text("memory"), config: "masked.yaml"))
        let passed = await Tested.play(Written.suite(text("api"), config: "masked.yaml"))
        let mutations = MutationReport(await Mutation.of([passed], plugins: Tested.plugins, seed: 1)).text

        #expect(failed.hasFailed && !passed.hasFailed)
        #expect(Tested.report(of: failed).contains("fetch user=***  memory miss, api hit"))
        #expect(!failed.outcomes.contains { "\($0)".contains("s3cret") })
        #expect(mutations.contains("with: { user: \"***\" }") && !mutations.contains("s3cret"))
        #expect(Coverage(of: [passed]).configs.flatMap(\.orders).contains { $0.pipeline == "keyed" && $0.count.asserted > 0 })
    }

    @Test func `the trace says when a debounced write is made, and how long its copy is fresh`() async {
        let outcome = await Written.play(Written.test(pipeline: "late", "fetch, { wait: 3s }, { expect: { disk: empty } }"))

        #expect(
            outcome?.events.map { "\($0.time.spelling) \($0.text)" } == [
                "0s fetch  memory miss, disk miss, api hit, memory written, disk scheduled", "2s disk written, fresh until 10m",
            ])
    }

    @Test func `a refresh in the background is a line of its own`() async {
        let outcome = await Written.play(
            Written.test(
                pipeline: "while", given: "{ api: ['[1]', { is: '[2]', takes: 1s }] }",
                "fetch, { wait: 10s }, { fetch: { stale: true } }, { wait: 2s }, { expect: { api: { calls: 3 } } }"))

        #expect(
            outcome?.events.suffix(3).map { "\($0.time.spelling) \($0.text)" } == [
                "10s fetch  memory stale (expired 0s ago, within stale_while_revalidate)",
                "11s refresh  memory skipped (policy refresh), api hit",
                "11s memory written, fresh until 21s",
            ])
    }
}

/// The call for `swift test`.
struct ScenarioTestsTests {
    @Test func `what passes gives nothing, what fails its place and its reason`() async {
        let passed = await ScenarioTests.failures(in: Tested.folder + "examples.test.yaml", plugins: Tested.plugins)
        let broken = await ScenarioTests.failures(
            in: Tested.folder + "examples.test.yaml", config: Tested.folder + "policies.yaml", plugins: Tested.plugins)
        let missing = await ScenarioTests.failures(in: "nowhere.test.yaml", plugins: Tested.plugins)

        #expect(passed == [])
        #expect(broken.first?.contains("P601: unknown pipeline `friends`") == true)
        #expect(missing == ["nowhere.test.yaml:1:1: P004: cannot read `nowhere.test.yaml`: no such file"])
    }
}
