import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// What sources and pipelines come to.
@Suite struct PlanTests {
    private static let sources = """
        sources:
          m: { type: memory }
          d: { type: file, path: "x/{key}", max_entries: 9 }
          o: { type: http, url: "http://h/{key}" }
          r: { type: file, path: x.json, read_only: true }

        """

    private static func report(_ pipelines: String, sources: String = sources) -> ConfigReport {
        // A pipeline that uses every source, so that none is unused.
        Reading.report(sources + "pipelines:\n  all: { tiers: [m, d, o, r] }\n" + pipelines)
    }

    private static func plan(_ pipeline: String) throws -> PipelinePlan {
        let report = report("  p: \(pipeline)\n")
        #expect(report.summary == [])
        return try report.plan.pipeline("p")
    }

    @Test(arguments: [
        ("[m, d, o]", "auto", ["m": [], "d": ["m"], "o": ["m", "d"]]), ("[o, d, m]", "auto", ["o": ["d", "m"], "d": [], "m": ["d"]]),
        ("[o, m]", "auto", ["o": ["m"], "m": []]), ("[d, o, m]", "auto", ["d": [], "o": ["d", "m"], "m": ["d"]]),
        ("[o]", "auto", ["o": []]), ("[m, r]", "auto", ["m": [], "r": ["m"]]),
        ("[r, o, m, d]", "auto", ["r": ["m", "d"], "o": ["m", "d"], "m": [], "d": ["m"]]),
        ("[m, d, o]", "none", ["m": [], "d": [], "o": []]), ("[m, d, o]", "{ o: [d] }", ["m": [], "d": [], "o": ["d"]]),
        ("[m, d, o]", "{ o: [d, m], m: [d] }", ["m": ["d"], "d": [], "o": ["m", "d"]]), ("[m, d, o]", "{}", ["m": [], "d": [], "o": []]),
        ("[m, d, o]", "{ o: [] }", ["m": [], "d": [], "o": []]),
        ("[{ source: m, write: false }, d, o]", "auto", ["m": [], "d": [], "o": ["d"]]),
        ("[m, { source: d, read: false }, o]", "auto", ["m": [], "d": ["m"], "o": ["m", "d"]]),
    ]) func `an answer goes to the caches that the policy says`(_ tiers: String, _ writeBack: String, _ expected: [String: [String]]) throws
    {
        let plan = try Self.plan("{ tiers: \(tiers), write_back: \(writeBack) }")

        #expect(Dictionary(uniqueKeysWithValues: plan.tiers.map { ($0.source.name, $0.writesBackTo) }) == expected)
    }

    @Test(
        arguments: [
            ("{ tiers: [m, nowhere] }", ["P201 undefined source `nowhere`"]),
            ("{ tiers: [m, nowhere, nowhere] }", ["P201 undefined source `nowhere`", "P201 undefined source `nowhere`"]),
            (
                "{ tiers: [m, { source: nowhere, ttl: 1s }], write_back: { nowhere: [m] } }",
                ["P201 undefined source `nowhere`", "P201 undefined source `nowhere`"]
            ),
            (
                "{ tiers: [m, o, m, m] }",
                ["P202 the source `m` is twice in the pipeline `p`", "P202 the source `m` is twice in the pipeline `p`"]
            ),
            ("{ tiers: [m, o], write_back: { o: [o] } }", ["P204 `o` cannot be written: it is an origin"]),
            ("{ tiers: [m, r], write_back: { m: [r] } }", ["P204 `r` cannot be written: it is an origin"]),
            ("{ tiers: [m, o], write_back: { o: [d] } }", ["P205 `d` in `write_back` is not a tier of the pipeline `p`"]),
            ("{ tiers: [m, o], write_back: { d: [m] } }", ["P205 `d` in `write_back` is not a tier of the pipeline `p`"]),
            (
                "{ tiers: [m, { source: o, ttl: 1s, jitter: 0.1, debounce: 1s, max_delay: 2s }] }",
                [
                    "P303 `ttl` on `o`, which is an origin and keeps no copies",
                    "P303 `jitter` on `o`, which is an origin and keeps no copies",
                    "P303 `debounce` on `o`, which is an origin and keeps no copies",
                    "P303 `max_delay` on `o`, which is an origin and keeps no copies",
                ]
            ),
            ("{ tiers: [m, { source: r, ttl: 1s }] }", ["P303 `ttl` on `r`, which is an origin and keeps no copies"]),
            ("{ tiers: [m, { source: o, timeout: 1s, retry: { attempts: 2 } }] }", []),
            (
                "{ parameters: [a], tiers: [r] }",
                ["P207 no origin of the pipeline `p` uses the parameter `a`: each value of it gets the same answer"]
            ),
            (
                "{ parameters: [a], tiers: [m, d, r] }",
                ["P207 no origin of the pipeline `p` uses the parameter `a`: each value of it gets the same answer"]
            ),
            (
                "{ parameters: [a], tiers: [m, r] }",
                ["P207 no origin of the pipeline `p` uses the parameter `a`: each value of it gets the same answer"]
            ),
            ("{ parameters: { a: , b: { default: x } }, tiers: [o] }", []),
            // No follow-on noise: what is not known is not judged.
            ("{ tiers: [m, '${NO}'] }", ["P401 environment variable `NO` is not set"]),
            ("{ parameters: [1], tiers: [m, o] }", ["P105 `1` is not the name of a parameter"]),
            ("{ parameters: [a], tiers: [m, nowhere] }", ["P201 undefined source `nowhere`"]),
            ("{ tiers: [] }", ["P104 the list of tiers is empty"]),
            ("{ tiers: m }", ["P103 expected a list for `tiers`, found `m`"]),
            ("{ teirs: [m] }", ["P101 unknown field `teirs` in pipeline `p`"]),
            ("{ parameters: [a], tiers: [] }", ["P104 the list of tiers is empty"]),
            ("{ tiers: [m, '${NO}'], write_back: { o: [m] } }", ["P401 environment variable `NO` is not set"]),
        ] as [(String, [String])]) func `what does not fit is reported, and nothing else`(_ pipeline: String, _ expected: [String])
    {
        #expect(Self.report("  p: \(pipeline)\n").summary == expected)
    }

    @Test(
        arguments: [
            (
                "m: { type: http, url: 'http://h/' }\n  spare: { type: memory }", "{ tiers: [m] }",
                ["P203 no pipeline uses the source `spare`"]
            ),
            (
                "m: { type: http, url: 'http://h/' }\n  spare: { type: nonsense }", "{ tiers: [m] }",
                ["P203 no pipeline uses the source `spare`", "P106 unknown source type `nonsense`"]
            ),
            (
                "m: { type: http, url: 'http://h/' }\n  combine: { type: memory }", "{ tiers: [m] }",
                ["P104 a source cannot be called `combine`: in `tiers` that is the place of what `combine` makes"]
            ), ("memory: { type: http, url: 'http://h/' }", "{ tiers: [memroy] }", ["P201 undefined source `memroy`"]),
            ("m: { type: http, url: 'http://h/' }", "{ teirs: [m] }", ["P101 unknown field `teirs` in pipeline `p`"]),
            ("m: { type: http, url: 'http://h/' }", "{ tiers: m }", ["P103 expected a list for `tiers`, found `m`"]),
            ("m: { type: http, url: 'http://h/' }", "{ tiers: ['${NO}'] }", ["P401 environment variable `NO` is not set"]),
            ("m: { type: nonsense }", "{ parameters: [a], tiers: [m] }", ["P106 unknown source type `nonsense`"]),
            (
                "o: { type: http, url: 'http://h/{b}', colour: blue }", "{ parameters: [a], tiers: [o] }",
                [
                    "P206 `{b}` is not a parameter of the pipeline `p`", "P101 unknown field `colour` in source `o`",
                    "P207 no origin of the pipeline `p` uses the parameter `a`: each value of it gets the same answer",
                ]
            ),
            (
                "o: { type: http, url: 'http://h/{usr}' }", "{ parameters: [user], tiers: [o] }",
                ["P206 `{usr}` is not a parameter of the pipeline `p`"]
            ),
            (
                "o: { type: http, url: 'http://h/{user}' }", "{ parameters: user, tiers: [o] }",
                ["P103 expected a list of names or a mapping for `parameters`, found `user`"]
            ),
            ("o: { type: http, url: '${NO}/{user}' }", "{ parameters: [user], tiers: [o] }", ["P401 environment variable `NO` is not set"]),
            ("o: { type: http, url: 'http://h/', typ: x }", "{ tiers: [o] }", ["P101 unknown field `typ` in source `o`"]),
            ("o: { typ: memory }", "{ tiers: [o] }", ["P101 unknown field `typ` in source `o`"]),
            ("o: { type: http, ulr: 'http://h/' }", "{ tiers: [o] }", ["P101 unknown field `ulr` in source `o`"]),
        ] as [(String, String, [String])]) func `sources and the pipeline that uses them`(
            _ sources: String, _ pipeline: String, _ expected: [String]
        )
    {
        #expect(Reading.report("sources:\n  \(sources)\npipelines:\n  p: \(pipeline)\n").summary == expected)
    }

    @Test func `one run finds the problems of every step, in reading order`() {
        let report = Reading.report(
            """
            version: 3
            sources:
              m: { type: memory, max_entries: -1, max_entries: 2 }
              o: { type: http, url: nowhere, colour: blue }
              x: { type: queue }
              f: { type: file, path: "${NO}" }
            pipelines:
              p: { tiers: [m, nowhere], deadline: soon, write_back: { m: [o] } }
              q: { format: xml, tiers: [{ source: o, ttl: 1s }, x, f] }
            """)

        #expect(report.codes == ["P107", "P104", "P002", "P105", "P101", "P106", "P401", "P201", "P105", "P205", "P107", "P303"])
    }

    @Test(arguments: ["0", "0%", "1", "100%", "1.5", "-0.1"])
    func `ER-06 a refresh_ahead that is not between 0 and 1 is an error`(_ ratio: String) {
        let problems = Self.report("  p: { tiers: [m, o], refresh_ahead: \(ratio) }\n").summary

        #expect(
            problems == ["P104 `\(ratio)` is out of range for `refresh_ahead`: expected between 0 and 1, both excluded"])
    }

    @Test func `another order keeps the policies of tiers`() throws {
        let report = Self.report("  p: { tiers: [{ source: m, ttl: 1s }, d, o] }\n")
        let plan = try report.plan.pipeline("p")

        let turned = try plan.asking(["o", "m"], from: report.plan.sources)
        let foreign = try plan.asking(["r", "m"], from: report.plan.sources)

        #expect(turned.tiers.map(\.source.name) == ["o", "m"])
        #expect(turned.tiers.map(\.policy.ttl) == [nil, .seconds(1)])
        #expect(turned.tiers.map(\.writesBackTo) == [["m"], []])
        #expect(foreign.tiers.map(\.policy) == [TierPolicy(), plan.tiers[0].policy])
    }

    @Test(arguments: [
        (["o", "nowhere"], UsageError.unknownSource("nowhere", known: ["m", "d", "o", "r"])), (["o", "o"], .repeatedSource("o")),
        ([], .emptyOrder),
    ]) func `an order that cannot be asked is wrong usage`(_ order: [String], _ expected: UsageError) throws {
        let report = Self.report("  p: { tiers: [m, o] }\n")
        let plan = try report.plan.pipeline("p")

        #expect(throws: expected) { try plan.asking(order, from: report.plan.sources) }
        #expect(!expected.message.hasSuffix("."))
    }

    @Test(arguments: [
        (["m", "u"], UsageError.unfitSource("u", needs: "{id}", pipeline: "p")), (["q"], .unfitSource("q", needs: ":id", pipeline: "p")),
        (["m", "k"], nil),
    ])
    func `a source that needs a parameter that the pipeline lacks is not asked in an order`(
        order: [String], expected: UsageError?
    ) throws {
        let sources = """
            sources:
              m: { type: memory }
              o: { type: http, url: "http://h/{key}" }
              u: { type: http, url: "http://h/users/{id}" }
              q: { type: sqlite_query, path: x.db, query: "SELECT x FROM t WHERE id = :id" }
              k: { type: http, url: "http://h/{pipeline}/{key}" }

            """
        let pipelines =
            "pipelines:\n  p: { tiers: [m, o] }\n  all: { parameters: [id], tiers: [u, q, k] }\n  s: { parameters: [id], tiers: [m, u] }\n"
        let report = Reading.report(sources + pipelines, plugins: Reading.allPlugins)
        let plan = try report.plan.pipeline("p")

        do {
            _ = try plan.asking(order, from: report.plan.sources)
            #expect(expected == nil)
        } catch {
            #expect(error == expected)
            #expect(error.message.hasSuffix(", which is not a parameter of `p`"))
        }
        #expect(throws: Never.self) { try report.plan.pipeline("s").asking(["q", "u"], from: report.plan.sources) }
    }

    @Test func `a key takes defaults, and refuses what is missing or undeclared`() throws {
        let plan = try Self.plan("{ parameters: { user: , page: { default: \"1\" }, e: { default: \"\" } }, tiers: [m, o] }")
        let keys = KeyMaker(PipelineSpec(plan.name, parameters: plan.parameters.map(\.spec), tiers: []))

        #expect(try keys.key(["user": "a/b"]).text == "p,e=,page=1,user=a%2Fb")
        #expect(try keys.key(["user": "", "page": "2", "e": "x"]).text == "p,e=x,page=2,user=")
        #expect(throws: UsageError.missingParameters(["user"], pipeline: "p")) { try keys.key(["page": "2"]) }
        #expect(throws: UsageError.undeclaredParameter("usr", pipeline: "p", known: ["user", "page", "e"])) {
            try keys.key(["usr": "1", "user": "1"])
        }
        // KELVIN SIGN is K to Swift's `==`.
        #expect(throws: UsageError.undeclaredParameter("\u{212A}", pipeline: "p", known: ["user", "page", "e"])) {
            try keys.key(["\u{212A}": "1", "user": "1"])
        }
    }

    @Test(arguments: [
        ("alone", [], ["alone"], ["m", "a"]), ("alone", ["spare"], ["alone"], ["m", "a", "spare"]),
        ("part", [], ["part", "whole", "outer", "other"], ["m", "b", "c"]),
        ("outer", [], ["part", "whole", "outer", "other"], ["m", "b", "c"]),
        ("other", [], ["part", "whole", "outer", "other"], ["m", "b", "c"]), ("post", [], ["post", "author"], ["d", "e"]),
        ("nobody", [], ["alone", "part", "whole", "outer", "other", "post", "author"], ["m", "a", "b", "c", "d", "e", "spare"]),
    ])
    func `a fetch can come to what its pipeline is made from, and to what is made from it`(
        _ name: String, _ others: [String], _ pipelines: [String], _ sources: [String]
    ) {
        let report = Reading.report(
            """
            sources:
              m: { type: memory }
              a: { type: http, url: "http://h/a" }
              b: { type: http, url: "http://h/b" }
              c: { type: http, url: "http://h/c" }
              d: { type: http, url: "http://h/d" }
              e: { type: http, url: "http://h/e/{id}" }
              spare: { type: http, url: "http://h/f" }
            pipelines:
              alone: { tiers: [m, a] }
              part: { tiers: [m, b] }
              whole: { combine: { object: { p: part, o: other } } }
              outer: { combine: { object: { w: whole } } }
              other: { tiers: [c] }
              post: { tiers: [d], links: { by: { at: /author, pipeline: author } } }
              author: { parameters: [id], tiers: [e] }
            """)

        let part = report.plan.part(for: name, asking: others)

        #expect(report.summary == ["P203 no pipeline uses the source `spare`"])
        #expect(part.pipelines.map(\.name) == pipelines)
        #expect(part.sources.map(\.name) == sources)
        #expect(part.longestStale(of: "m") == report.plan.longestStale(of: "m"))
    }

    @Test func `an unknown pipeline is answered with the nearest`() throws {
        let report = Self.report("  p: { tiers: [m, o] }\n")

        let error = #expect(throws: UsageError.self) { try report.plan.pipeline("alll") }

        #expect(error?.description == "unknown pipeline `alll`\nhelp: did you mean `all`?")
    }

    @Test(arguments: [
        ("memroy", "memory"), ("Memory", "memory"), ("memor", "memory"), ("dsik", "disk"), ("disk2", "disk"), ("api", nil), ("x", nil),
        ("d", nil), ("", nil),
    ])
    func `the nearest name is what was most likely meant`(_ name: String, _ expected: String?) {
        let help = NearestName.help(for: name, among: ["memory", "disk"], noun: "sources")

        #expect(help == (expected.map { "did you mean `\($0)`?" } ?? "known sources: `disk`, `memory`"))
    }
}
