import PipelineConfig
import PipelineScenarios
import Testing

/// What is wrong with a test file is found before anything runs.
struct RuleTests {
    @Test(arguments: [
        ("{ fetch: { from: mmory } }", "5:30 P601 unknown source `mmory`; did you mean `memory`?"),
        ("{ fetch: { tiers: [memory hit, apo hit] } }", "5:44 P601 unknown source `apo`; did you mean `api`?"),
        ("{ fetch: { tiers: [memory hits] } }", "5:32 P601 unknown outcome `hits`; did you mean `hit`?"),
        (
            "{ fetch: { writes: [memory wrote] } }",
            "5:33 P601 unknown outcome `wrote`; known outcomes: `failed`, `renewed`, `scheduled`, `skipped`, `unchanged`, `written`"
        ),
        ("{ fetch: { form: memory } }", "5:24 P601 unknown field `form` in `fetch`; did you mean `from`?"),
        ("{ fetch: { with: { user: 1 }, from: api } }", "5:32 P601 unknown parameter `user`; there are no parameters"),
        ("{ fetch: { from: api, stale: { nightly: true } } }", "5:44 P601 unknown order `nightly`; there are no orders"),
        ("{ fetch: { from: api } }, killl", "5:39 P601 unknown step `killl`; did you mean `kill`?"),
        ("{ fetch: { from: api } }, { finish: { slow: {} } }", "5:51 P601 unknown fetch `slow`; there are no fetches that were started"),
        (
            "{ start: { fetch: { from: disk, timeout: 1s }, as: q } }, { finish: { q: { from: api } } }",
            "5:33 P601 unknown field `from` in the `fetch` of `start`; write it in `finish: { q: { from: disk } }`"
        ),
        ("{ fetch: { from: api } }, { set: { apy: error } }", "5:48 P601 unknown source `apy`; did you mean `api`?"),
        ("{ fetch: { from: api } }, { expect: { memry: empty } }", "5:51 P601 unknown source `memry`; did you mean `memory`?"),
    ])
    func `OT-04 an unknown name is reported with the nearest one`(steps: String, problem: String) {
        #expect(Written.problems(Written.test(steps)) == [problem])
    }

    @Test func `OT-04 a file with a mistake has nothing to run`() async {
        let suite = Written.suite(Written.test("{ fetch: { from: mmory } }"))

        let tested = await Tested.play(suite)

        #expect(!suite.isUsable)
        #expect(tested.outcomes.isEmpty)
    }

    @Test func `an unknown pipeline, order and field of the file`() {
        let problems = Written.problems(
            """
            pipeline: plian
            orders: { far-first: [far, appi] }
            enviroment: {}
            tests:
              - { name: one, pipeline: two, in: far-frst, given: { api: '[1]' }, steps: [{ fetch: { from: api } }] }
            """)

        #expect(
            problems == [
                "1:11 P601 unknown pipeline `plian`; did you mean `plain`?", "2:28 P601 unknown source `appi`; did you mean `api`?",
                "3:1 P601 unknown field `enviroment` in the test file; did you mean `environment`?",
                "5:37 P601 unknown order `far-frst`; did you mean `far-first`?",
            ])
    }

    @Test func `an origin that is asked and says nothing`() {
        let problems = Written.problems(Written.test(pipeline: "limited", "{ fetch: { from: api } }"))

        #expect(
            problems == [
                "5:15 P602 `fetch` asks the origin `backup`, and nothing says what it answers; add `backup: '…'` to `given`, or `backup: error`"
            ])
    }

    @Test(arguments: ["{ apii: '[1]' }", "{ apii: '[1]', backup: '[2]' }"])
    func `where a name is unknown nothing is missed because of it`(given: String) {
        let problems = Written.problems(Written.test(pipeline: "limited", given: given, "{ fetch: { from: api } }"))

        #expect(problems.count == 1 && problems.first?.hasSuffix("P601 unknown source `apii`; did you mean `api`?") == true, "\(problems)")
    }

    @Test(arguments: ["far-first", "far"]) func `a step asks sources, and names no order`(word: String) {
        let problems = Written.problems("orders: { far-first: [far, api] }\n" + Written.test("{ fetch: { order: \(word), from: api } }"))

        #expect(
            problems == [
                "6:31 P103 expected a list for `order`, found `\(word)`; a step lists the sources to ask, as in `order: [api, disk]`; an order of "
                    + "`orders` is named by `in` of the test"
            ])
    }

    @Test func `a cache that says nothing is empty, and an inline value is as it is written`() {
        #expect(Written.problems(Written.test(pipeline: "three", "{ fetch: { from: api } }")) == [])
        #expect(Written.problems(Written.test(pipeline: "fallback", "{ fetch: { from: api } }")) == [])
    }

    @Test func `an origin that is not asked needs no script`() {
        #expect(Written.problems(Written.test(given: "{}", "{ fetch: { policy: cache-only, not_found: true } }")) == [])
    }

    @Test func `OT-05 a test that expects nothing`() {
        let problems = Written.problems(Written.test("fetch, { wait: 1s }, { finish: {} }"))

        #expect(
            problems == [
                "2:11 P603 the test `a test` expects nothing, so that it cannot fail; "
                    + "say what a fetch gives, as in `fetch: { from: memory }`, or what a source holds with `expect`"
            ])
    }

    @Test(arguments: [
        ("", "{ fetch: { from: {} } }"), ("", "{ fetch: { from: { far-first: memory } } }"),
        ("in: [near-first], ", "{ fetch: { from: { far-first: memory } } }"),
        ("in: [near-first], ", "fetch, { expect: { api: { calls: { far-first: 1 } } } }"),
    ]) func `OT-05 a test that expects nothing in the orders that it runs in`(orders: String, steps: String) {
        func problems(_ orders: String) -> [String] {
            Written.problems(
                """
                orders: { far-first: [far, api], near-first: [memory, api] }
                tests: [{ name: one, pipeline: plain, \(orders)given: { api: '[1]' }, steps: [\(steps)] }]
                """)
        }

        #expect(problems(orders).map { $0.prefix(9) } == ["2:17 P603"])
        #expect(steps.contains("{}") || problems("in: [near-first, far-first], ") == [])
    }

    @Test func `two tests of one name`() {
        let test = "  - { name: one, pipeline: plain, given: { api: '[1]' }, steps: [{ fetch: { from: api } }] }\n"

        #expect(Written.problems("tests:\n" + test + test) == ["3:13 P604 two tests are called `one`; give one of them another name"])
    }

    @Test func `two fetches of one name, unless the first has ended`() {
        let start = "{ start: { fetch: {}, as: q } }"
        let finish = "{ finish: { q: { from: api } } }"

        #expect(
            Written.problems(Written.test("\(start), \(start), \(finish)")) == [
                "5:72 P604 two fetches are called `q`; give one of them another name"
            ])
        #expect(Written.problems(Written.test("\(start), \(finish), \(start), \(finish)")) == [])
        #expect(Written.problems(Written.test("\(start), kill, \(start), \(finish)")) == [])
    }

    @Test func `only is a mistake where nobody is asked`() {
        let text = """
            tests:
              - { name: one, pipeline: plain, only: true, given: { api: '[1]' }, steps: [{ fetch: { from: api } }] }
              - { name: two, pipeline: plain, given: { api: '[1]' }, steps: [{ fetch: { from: api } }] }
            """

        #expect(Written.problems(text) == [])
        #expect(Written.suite(text).runs.map(\.scenario.name.value) == ["one"])
        #expect(
            Written.problems(text, isForCI: true) == [
                "2:41 P605 `only: true` keeps the other tests from running; remove it before this runs in CI"
            ])
    }

    @Test(arguments: [
        ("{ disk: '[1]', api: '[1]' }", "P107 `disk` is a cache, which answers what it holds"),
        ("{ api: { holds: '[1]' } }", "P107 `api` is an origin, which holds no copies"),
        ("{ memory: { down: true }, api: '[1]' }", "P107 `memory` is memory, which always answers at once"),
        ("{ api: { is: '[1]', error: x } }", "P107 `error` is not allowed beside `is`: an answer is one of both"),
        ("{ api: { takes: 1s, etag: x } }", "P102 an answer needs one of `is`, `json`, `file`, `error`, `not_found`, `invalid`, `hangs`"),
        ("{ api: { file: nowhere.json } }", "P402 cannot read the file `nowhere.json`: no such file"),
        ("{ api: [{ always: '[1]' }, '[2]'] }", "P107 answers after `always` are never given"),
        ("{ api: { user=1: '[1]' } }", "P601 unknown parameter `user`; there are no parameters"),
    ])
    func `a script that does not fit its source`(given: String, problem: String) {
        let problems = Written.problems(Written.test(given: given, "{ fetch: { from: api } }"))

        #expect(problems.count == 1)
        #expect(problems.first?.contains(problem) == true, "\(problems)")
    }

    @Test func `a value that is not JSON can never come`() {
        let problems = Written.problems(Written.test("{ fetch: { is: not_found } }"))

        #expect(
            problems == [
                "5:28 P107 `not_found` is not JSON, which every value of the pipeline `plain` is; write `not_found: true`"
            ])
    }

    @Test func `a file that is not YAML, an empty one, and one without tests`() {
        #expect(Written.problems("tests: [").first?.contains("P001") == true)
        #expect(Written.problems("") == ["1:1 P102 the test file is empty: it needs `tests`; begin with `tests:`"])
        #expect(Written.problems("pipeline: plain").first?.contains("P102 the test file needs `tests`") == true)
    }
}
