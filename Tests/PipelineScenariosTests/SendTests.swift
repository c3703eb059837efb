import PipelineConfig
import PipelineReports
import PipelineScenarios
import PipelineSending
import Testing

/// Sends in scenario tests: their steps, what is expected of them, and what a test file can get wrong.
struct SendTests {
    @Test func `the corners of sends pass`() async {
        let tested = await Tested.play(Tested.suite("sends.test.yaml"))

        #expect(tested.outcomes.count == 32)
        #expect(Tested.report(of: tested) == "")
    }

    @Test func `the tests of the example pass`() async {
        let tested = await Tested.play(Tested.suite("../../../examples/sends/pipeline.test.yaml"))

        #expect(tested.outcomes.count == 6)
        #expect(Tested.report(of: tested) == "")
    }

    private static let given = #"{ api: '[{"id":1}]', add: error, edit: '{}' }"#
    private static let cat = #"{ name: add_friend, with: { user: 42 }, is: '{"id":2}'"#

    private static func play(_ steps: String, given: String = given, seed: UInt64 = 1) async throws -> ScenarioOutcome {
        let suite = Written.suite(Written.test(pipeline: "friends", given: given, steps), config: "sends.yaml")
        try #require(suite.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        return try #require(await TestedSuite.play(suite.runs, of: suite, seeds: seed...seed).outcomes.first)
    }

    @Test(arguments: [
        ("{ send: \(cat), state: sent } }", "state is waiting (error), expected sent"),
        ("{ send: \(cat), took: 1s } }", "took is 0s, expected 1s"),
        ("{ send: \(cat), error: true } }", "error is none (waiting), expected true"),
        ("{ set: { outbox: { down: true } } }, { send: \(cat), error: full } }", "error is down, expected full"),
        ("{ set: { outbox: { down: true } } }, { send: \(cat), state: waiting } }", "the send is not taken in: down"),
        (
            "{ send: \(cat), state: waiting } }, { fetch: { with: { user: 42 }, sends: [] } }",
            "sends are [add_friend waiting], expected []"
        ),
        (
            "{ fetch: { with: { user: 42 }, sends: [add_friend waiting] } }",
            "sends are [], expected [add_friend waiting]"
        ),
        ("{ send: \(cat) } }, { expect: { outbox: empty } }", "outbox holds add_friend waiting, expected nothing"),
        ("{ send: \(cat) } }, { expect: { outbox: { sends: [] } } }", "outbox sends are [add_friend waiting], expected []"),
        ("{ expect: { outbox: { sends: [add_friend held] } } }", "outbox sends are [], expected [add_friend held]"),
        ("{ send: \(cat) } }, { expect: { add: { calls: 0 } } }", "add calls is 1, expected 0"),
        ("{ send: \(cat) } }, { expect: { add: { ids: 2 } } }", "add ids is 1, expected 2"),
        (
            #"{ send: \#(cat) } }, { expect: { add: { bodies: ['{"id":2}', '{"id":3}'] } } }"#,
            #"add bodies are [{"id":2}], expected [{"id":2}, {"id":3}]"#
        ),
        ("{ send: \(cat), as: cat } }, { retry: cat }, { expect: { outbox: empty } }", "`cat` is not put back: it is waiting"),
        (
            #"{ send: { name: rename_friend, with: { user: 42, id: 1 }, is: '{"n":1}', as: one } }, { drop: one }, { expect: { outbox: empty } }"#,
            "`one` is not dropped: it is sent"
        ),
        (
            "{ set: { outbox: { down: true } } }, { send: \(cat), as: cat, error: down } }, { drop: cat }",
            "`cat` was not taken in"
        ),
        (
            "{ set: { add: ['{}'] } }, { send: \(cat), state: sent } }, { send: { name: add_friend, with: { user: 7 }, is: '{\"id\":3}' } }",
            "call 2 of `add` at 0s has no answer: its list has 1 answer"
        ),
    ])
    func `what is not as expected of sends is said`(steps: String, message: String) async throws {
        let outcome = try await Self.play(steps)

        #expect(outcome.failure?.message == message)
    }

    @Test(arguments: [
        ("send: { name: add_frend, with: { user: 42 } }", "P601 unknown send `add_frend`; did you mean `add_friend`?"),
        ("send: { name: add_friend, with: { usr: 42, user: 42 } }", "P601 unknown parameter `usr`; did you mean `user`?"),
        ("send: { name: add_friend }", "P601 `send` needs the parameter `user` of the send `add_friend`; add `with: { user: … }`"),
        ("send: { name: add_friend, with: { user: 42 }, state: wating }", "P601 unknown state `wating`; did you mean `waiting`?"),
        ("send: { with: { user: 42 } }", "P102 `send` needs `name`; add `name: add_friend`"),
        ("retry: first", "P601 unknown send `first`; there are no sends with a name of their own (`as`)"),
        ("expect: { outbox: { sends: [add_frend waiting] } }", "P601 unknown send `add_frend`; did you mean `add_friend`?"),
        ("expect: { outbox: { sends: [add_friend wating] } }", "P601 unknown state `wating`; did you mean `waiting`?"),
        (
            "expect: { outbox: { sends: [waiting] } }",
            "P105 `waiting` is not a send and its state; write both, as in `add_friend waiting`"
        ),
        (
            "expect: { outbox: { calls: 1 } }",
            "P107 `outbox` keeps sends, and is asked for no values; expect `{ sends: […] }` of it, or `empty`"
        ),
        ("expect: { api: { ids: 1 } }", "P107 `api` takes no sends; expect `{ calls: 1 }` of it"),
        ("expect: { add: { sends: [] } }", "P107 `add` keeps no sends; expect `{ calls: 1 }` of it"),
        ("set: { outbox: '{}' }", "P107 `outbox` keeps sends, which are the step `send`; write `{ down: true }`, or `{ takes: 5ms }`"),
        ("set: { api: { is: '[]', lost: true } }", "P107 `lost` is of an answer to a send, and `api` takes none; remove `lost`"),
        (
            "set: { api: { error: status 503, retry_after: 5s } }",
            "P107 `retry_after` is of an answer to a send, and `api` takes none; remove `retry_after`"
        ),
        (
            "set: { add: { error: reset, lost: true } }",
            "P107 `lost` is not allowed beside `error`: only an answer can be lost; write `{ is: '…', lost: true }`, or `{ error: reset }`"
        ),
        ("set: { add: { usr=42: '{}' } }", "P601 unknown parameter `usr`; did you mean `user`?"),
        (
            "send: { name: remove_friend, with: { user: 42, id: 1 }, state: sent }",
            "P602 `send` asks the origin `remove`, and nothing says what it answers; add `remove: '…'` to `given`, or `remove: error`"
        ),
    ])
    func `what a test file gets wrong about sends is told before anything runs`(step: String, problem: String) {
        let text = Written.test(pipeline: "friends", given: Self.given, "{ \(step) }, { fetch: { with: { user: 42 }, from: api } }")

        let problems = Written.problems(text, config: "sends.yaml").map { $0.drop { $0 != " " }.dropFirst() }

        #expect(problems == [problem[...]])
    }

    @Test func `two sends of one name are told`() {
        let text = Written.test(
            pipeline: "friends", given: Self.given, "{ send: \(Self.cat), as: cat } }, { send: \(Self.cat), as: cat, state: waiting } }")

        let problems = Written.problems(text, config: "sends.yaml")

        #expect(problems.map { $0.contains("P604 two sends are called `cat`") } == [true])
    }

    @Test func `a test that only sends expects nothing`() {
        let text = Written.test(pipeline: "friends", given: Self.given, "{ send: \(Self.cat), as: cat } }, { drop: cat }")

        let problems = Written.problems(text, config: "sends.yaml")

        #expect(problems.map { $0.contains("P603 ") } == [true])
    }

    @Test func `the story tells what became of a send, with the line that declares it`() async throws {
        let outcome = try await Self.play(
            "{ send: \(Self.cat), as: cat } }, { set: { add: { error: status 422 } } }, { wait: 1s }, { expect: { outbox: empty } }")

        let told = outcome.events.filter { [.send, .request, .sending].contains($0.kind) }
        #expect(
            told.map(\.text) == [
                "send  add_friend cat, waiting (error)", "add asked: add_friend cat", "add_friend cat waiting (error)",
                "add asked: add_friend cat", "add_friend cat failed (status 422)",
            ])
        #expect(told.allSatisfy { $0.place?.start.line == 18 })
    }

    @Test func `the story tells that a retry is refused`() async throws {
        let outcome = try await Self.play("{ send: \(Self.cat), as: cat, state: waiting } }, { retry: cat }")

        #expect(outcome.events.last { $0.kind == .retry }?.text == "retry  cat, refused (it is waiting)")
    }

    @Test func `the story tells nothing of an expectation without anything`() async throws {
        let outcome = try await Self.play("{ expect: { add: {}, outbox: {} } }, { send: \(Self.cat), state: waiting } }")

        #expect(outcome.failure == nil)
        #expect(!outcome.events.contains { $0.kind == .expect && $0.note != nil })
    }

    @Test func `a seed gives one digest, and a send without a pause does not depend on it`() async throws {
        let waiting = "{ send: \(Self.cat), state: waiting } }, { wait: 1m }, { expect: { add: { ids: 1 } } }"
        let sent = "{ send: \(Self.cat), state: sent } }"

        let digests = try await [Self.play(waiting).digest, Self.play(waiting).digest, Self.play(waiting, seed: 2).digest]
        let depend = try await [
            Self.play(waiting).dependsOnSeed, Self.play(sent, given: #"{ api: '[]', add: '{}' }"#).dependsOnSeed,
        ]

        #expect(digests[0] == digests[1] && digests[0] != digests[2])
        #expect(depend == [true, false])
    }

    @Test func `days of waiting have few events`() async throws {
        let steps = "{ send: \(Self.cat), state: sent } }, { wait: 400d }, { expect: { outbox: empty } }"
        let suite = Written.suite(
            Written.test(pipeline: "friends", given: #"{ api: '[]', add: '{}' }"#, steps), config: "sends.yaml")

        let outcome = await TestedSuite.play(suite.runs, of: suite, seeds: 1...1, atMost: 1_000).outcomes.first

        #expect(outcome?.failure == nil)
    }
}

/// Sends in coverage, mutation and exploring.
struct RandomSendTests {
    private static let test = """
        tests:
          - name: order, and what is shown
            given: { api: '[{"id":9}]', add: [error, always: '{}'] }
            steps:
              - fetch
              - send: { name: add_friend, is: '{"id":1}', state: waiting }
              - send: { name: add_friend, is: '{"id":2}', state: waiting }
              - fetch: { is: '[{"id":2},{"id":1},{"id":9}]' }
              - wait: 1m
              - expect: { add: { bodies: ['{"id":1}', '{"id":1}', '{"id":2}'] } }

        """

    private static func points(_ text: String, where isCounted: (CoveragePoint) -> Bool) async -> [String] {
        let suite = Written.suite(text, config: "sent.yaml")
        let tested = await Tested.play(suite)
        #expect(Tested.report(of: tested) == "")
        let points = Coverage(of: [tested]).configs.first?.orders.first?.points ?? []
        return points.filter { $0.id.element.hasPrefix("send ") && isCounted($0) }.map { "\($0.id.element) \($0.id.branch)" }.sorted()
    }

    @Test func `a send has points where it stands, reached when it happens and asserted when a test looks`() async {
        let all = await Self.points(Self.test) { _ in true }
        let reached = await Self.points(Self.test) { $0.reached > 0 }
        let asserted = await Self.points(Self.test) { $0.asserted > 0 }

        #expect(
            all == [
                "send add_friend coalesce merged", "send add_friend debounce dropped", "send add_friend debounce passed",
                "send add_friend expires passed", "send add_friend failed", "send add_friend held",
                "send add_friend id_lifetime passed", "send add_friend laid over", "send add_friend on_conflict conflict",
                "send add_friend retry second try", "send add_friend sent", "send add_friend waiting",
            ])
        let expected = [
            "send add_friend debounce passed", "send add_friend laid over", "send add_friend retry second try", "send add_friend sent",
            "send add_friend waiting",
        ]
        #expect(reached == expected)
        #expect(asserted == expected)
    }

    @Test func `random sends reach nothing that cannot happen`() async {
        let suite = Written.suite(Self.test, config: "sent.yaml")
        let nothing = Invariant { run in
            let unplanned = Coverage(of: [TestedSuite(suite, outcomes: [run.outcome])]).unplanned
            return unplanned.first.map { Invariant.Violation(step: 1, message: $0, expected: "error: true") }
        }

        let exploration = await Exploration.of(suite, steps: 4_000, seed: 1, invariants: [nothing])

        #expect(exploration.findings.map { "\($0.pipeline): \($0.message)" } == [])
    }

    @Test(arguments: [1, 2, 3]) func `the engine keeps every rule of sends`(seed: UInt64) async {
        for config in ["sends.yaml", "sent.yaml"] {
            let text = "tests: [{ name: a, pipeline: friends, steps: [{ expect: { outbox: empty } }] }]"
            let exploration = await Exploration.of(Written.suite(text, config: config), steps: 4_000, seed: seed)

            #expect(exploration.steps >= 4_000)
            #expect(exploration.findings.map { "\($0.pipeline): \($0.message)\n\($0.test ?? "")" } == [])
        }
    }

    @Test func `a planted rule that sends break is shown by a short test that fails`() async throws {
        // No send is ever taken back.
        let noFailure = Invariant { run in
            let event = run.outcome.events.first { event in
                if case .state(let mark)? = event.sending { mark.state == .failed } else { false }
            }
            return event.map { Invariant.Violation(step: $0.step, message: "a send failed", expected: "sends: [add_friend failed]") }
        }
        let suite = Written.suite(Self.test, config: "sent.yaml")

        let exploration = await Exploration.of(suite, steps: 8_000, seed: 1, invariants: [noFailure])

        let finding = try #require(exploration.findings.first)
        let test = "tests:\n" + (try #require(finding.test))
        let shown = Written.suite(test, config: "sent.yaml")
        let outcome = try #require(await Tested.play(shown).outcomes.first)
        #expect(shown.isUsable, "\(test)")
        #expect(outcome.failure?.message == "sends are [], expected [add_friend failed]", "\(test)")
        #expect(test.contains("send: { name: add_friend") && test.split(separator: "\n").count <= 12, "\(test)")
    }

    private static func mutation(_ text: String) async throws -> Mutation {
        let tested = await Tested.play(Written.suite(text, config: "sent.yaml"))
        try #require(Tested.report(of: tested) == "")
        return try #require(await Mutation.of([tested], plugins: Tested.plugins, seed: 1, steps: 2_000).first)
    }

    @Test func `changes of a send and of its source are made once, and killed by tests that show them`() async throws {
        let mutation = try await Self.mutation(Self.test)

        let ofSends = mutation.results.filter { !$0.mutant.sends.isEmpty }
        #expect(
            ofSends.map(\.mutant.summary).sorted() == [
                "`coalesce: last` of `add_friend` is dropped", "`debounce: 2s` of `add_friend` is `1s`",
                "`debounce: 2s` of `add_friend` is `4s`", "`debounce: 2s` of `add_friend` is dropped",
                "`expires: 1h` of `add_friend` is `2h`", "`expires: 1h` of `add_friend` is `30m`",
                "`expires: 1h` of `add_friend` is dropped", "`idempotent: true` of `add` is `false`",
                "`insert: first` of `add_friend` is `last`", "`insert: first` of `add_friend` is dropped",
                "`op: upsert` of `add_friend` is `patch`", "`op: upsert` of `add_friend` is dropped, with what needs it",
                "`order` of `add_friend` is `none`", "`retry.attempts: 5` of `add_friend` is `1`",
                "`retry.base: 2s` of `add_friend` is `1s`", "`retry.base: 2s` of `add_friend` is `4s`",
                "`retry.max: 10s` of `add_friend` is `20s`", "`retry.max: 10s` of `add_friend` is `5s`",
                "the change of `friends` of `add_friend` is dropped",
            ])
        let killed = Set(ofSends.filter { $0.fate == .killed }.map(\.mutant.summary))
        #expect(
            killed.isSuperset(of: [
                "`insert: first` of `add_friend` is `last`", "`insert: first` of `add_friend` is dropped",
                "`op: upsert` of `add_friend` is `patch`", "`op: upsert` of `add_friend` is dropped, with what needs it",
                "`order` of `add_friend` is `none`", "the change of `friends` of `add_friend` is dropped",
            ]))
        // An answer that is lost, and times, are not in the test.
        #expect(killed.isDisjoint(with: ["`idempotent: true` of `add` is `false`", "`expires: 1h` of `add_friend` is `2h`"]))
    }

    @Test func `the tests that are proposed for sends kill what survived`() async throws {
        let before = try await Self.mutation(Self.test)
        let proposed = before.results.compactMap { result -> (summary: String, test: String)? in
            guard !result.mutant.sends.isEmpty, case .survived(let test) = result.fate else { return nil }
            return (result.mutant.summary, test)
        }
        let after = try await Self.mutation(Self.test + proposed.map(\.test).joined())

        #expect(proposed.contains { $0.summary == "`idempotent: true` of `add` is `false`" })
        #expect(proposed.contains { $0.summary == "`debounce: 2s` of `add_friend` is dropped" })
        let left = after.results.filter { result in result.fate != .killed && proposed.contains { $0.summary == result.mutant.summary } }
        #expect(left.map(\.mutant.summary) == [])
    }
}
