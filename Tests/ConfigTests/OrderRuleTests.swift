import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Testing

/// What the rules of planning say of tiers and sources, and where they stay silent because it is not certain.
@Suite struct OrderRuleTests {
    private static let inline = SourcePlugin(
        origin: "inline", summary: "Always answers.", capabilities: [.alwaysAnswers, .neverMisses],
        fields: Field("value", default: "[]", "The value.")
    ) { _, _ in StubSource(clock: .system) }

    /// An origin whose entries say how long they are fresh.
    private static let dated = SourcePlugin(
        origin: "dated", summary: "Says how long.", capabilities: [.limitsFreshness], fields: Field("value", default: "[]", "The value.")
    ) { _, _ in StubSource(clock: .system) }

    /// A cache that says where it is in two fields, one of which has a default.
    private static let shelf = SourcePlugin(
        cache: "shelf", summary: "Keeps copies.",
        fields: Field("room", default: "cellar", "Where.").role(.place),
        Field("board", default: String?.none, "Which board.").role(.place)
    ) { _, _, _ in StubSource(clock: .system) }

    private static let sources = """
        sources:
          m: { type: memory }
          d: { type: file, path: d.json }
          f: { type: file, path: f.json }
          o: { type: http, url: "http://h/" }
          p: { type: http, url: "http://i/" }
          r: { type: file, path: r.json, read_only: true }
          i: { type: inline }
          t: { type: dated }

        """

    /// The codes of a pipeline with these tiers, and of nothing else.
    private static func codes(_ pipeline: String) -> [String] {
        let report = Reading.report(
            sources + "pipelines:\n  x: \(pipeline)\n", plugins: Reading.plugins + [inline, dated, shelf])
        return report.codes.filter { $0 != "P203" }
    }

    @Test(
        arguments: [
            ("[{ source: o, on_error: fail }, p]", ["P301"]), ("[i, o]", ["P301"]), ("[m, i, o, d]", ["P301", "P301"]),
            // A last resort is asked after all others, wherever it stands.
            ("[m, o, i, d]", []), ("[m, o, i, { source: p, on_error: next }]", []), ("[o, { source: i, last_resort: false }, p]", ["P301"]),
            ("[{ source: i, last_resort: true }, o]", []), ("[{ source: o, on_error: fail }, i]", ["P301"]),
            ("[{ source: o, on_error: fail, on_not_found: next }, p]", []),
            ("[{ source: o, on_error: fail, on_not_found: fail }, p]", ["P301"]),
            ("[i, { source: o, read: false }]", []), ("[{ source: i, read: false }, o]", []),
            // A file that is only read can miss; a failure goes on by default; a cache can miss.
            ("[{ source: r, on_error: fail }, o]", []), ("[o, p]", []), ("[{ source: m, on_error: fail }, o]", []),
            ("[{ source: o, on_error: fail, read: false }, p]", []), ("[{ source: t, on_error: fail }, o]", []),
            // What could not be read may say otherwise.
            ("[{ source: o, on_error: fail, ttl: soon }, p]", ["P303", "P105"]), ("[i, nowhere]", ["P201"]),
        ] as [(String, [String])]) func `a tier below one that ends every fetch is never asked`(_ tiers: String, _ expected: [String])
    {
        #expect(Self.codes("{ tiers: \(tiers) }") == expected)
    }

    @Test func `a cache below an origin is asked while a failed load is not tried again`() {
        #expect(Self.codes("{ tiers: [{ source: o, on_error: fail }, { source: m, ttl: 1m }] }") == ["P301"])
        #expect(Self.codes("{ tiers: [{ source: o, on_error: fail }, { source: m, ttl: 1m }], stale_if_error: 1h }") == [])
    }

    @Test(
        arguments: [
            ("[{ source: m, ttl: 2m }, { source: d, ttl: 1m }, o]", "auto", ["P302"]),
            ("[{ source: m, ttl: 1m }, { source: d, ttl: 1m }, o]", "auto", []),
            ("[{ source: m, ttl: 1m }, d, o]", "auto", []), ("[m, { source: d, ttl: 1m }, o]", "auto", []),
            ("[{ source: m, ttl: none }, { source: d, ttl: 1m }, o]", "auto", []),
            ("[{ source: m, ttl: 1m }, { source: d, ttl: none }, o]", "auto", []),
            // The longer one is below, or does not feed the one above, or is not fed.
            ("[{ source: m, ttl: 2m }, { source: d, ttl: 1m }, o]", "none", []),
            ("[{ source: m, ttl: 2m }, { source: d, ttl: 1m }, o]", "{ o: [m, d] }", []),
            ("[{ source: m, ttl: 2m }, { source: d, ttl: 1m }, o]", "{ d: [m] }", ["P302"]),
            ("[{ source: m, ttl: 1m }, { source: d, ttl: 2m }, o]", "{ m: [d], o: [m] }", []),
            ("[{ source: m, ttl: 2m, write: false }, { source: d, ttl: 1m }, o]", "auto", []),
            ("[{ source: m, ttl: 2m }, { source: d, ttl: 1m, read: false }, o]", "auto", []),
            ("[{ source: m, ttl: 2m }, { source: d, ttl: 0s }, o]", "auto", []),
            // The shortest below counts, wherever an origin stands; each tier that is too long is told of.
            ("[{ source: m, ttl: 3m }, { source: d, ttl: 2m }, o, { source: f, ttl: 1m }]", "auto", ["P302", "P302"]),
            ("[{ source: m, ttl: 2m }, { source: d, ttl: 3m }, { source: f, ttl: 1m }, o]", "auto", ["P302", "P302"]),
        ] as [(String, String, [String])])
    func `a ttl is cut by a shorter one that it is filled from`(_ tiers: String, _ writeBack: String, _ expected: [String]) {
        #expect(Self.codes("{ tiers: \(tiers), write_back: \(writeBack) }") == expected)
    }

    @Test(
        arguments: [
            ("[m]", ["P304"]), ("[m, d]", ["P304"]), ("[r]", []), ("[m, r]", []), ("[m, o]", []), ("[m, i]", []),
            // Other programs may fill a cache that is not written here.
            ("[m, { source: d, write: false }]", []),
            // The answers of a last resort fill no cache.
            ("[m, { source: o, last_resort: true }]", ["P304"]), ("[{ source: o, last_resort: true }, m, d]", ["P304"]),
            ("[{ source: o, last_resort: true }]", []), ("[m, o, { source: p, last_resort: true }]", []),
            ("[{ source: d, write: false }, { source: o, last_resort: true }]", []), ("[m, nowhere]", ["P201"]), ("[m, '${NO}']", ["P401"]),
        ] as [(String, [String])]) func `a pipeline needs an origin`(_ tiers: String, _ expected: [String])
    {
        #expect(Self.codes("{ tiers: \(tiers) }") == expected)
    }

    @Test func `a last resort fills the caches that are named for it`() {
        #expect(Self.codes("{ tiers: [m, { source: o, last_resort: true }], write_back: { o: [m] } }") == [])
    }

    @Test(
        arguments: [
            ("{ source: d, ttl: 10s, debounce: 10s }", ["P305"]), ("{ source: d, ttl: 10s, debounce: 9s }", []),
            ("{ source: d, debounce: 10h }", []), ("{ source: d, ttl: none, debounce: 10h }", []),
            ("{ source: d, ttl: 0s, debounce: 0s }", []), ("{ source: d, ttl: 0s, debounce: 1s }", ["P305"]),
            // A write waits for the shorter of both; the longest delay only holds while new values come.
            ("{ source: d, ttl: 10s, debounce: 20s, max_delay: 5s }", ["P310"]),
            ("{ source: d, ttl: 10s, debounce: 20s, max_delay: 15s }", ["P305"]),
            ("{ source: d, ttl: 10s, debounce: 5s, max_delay: 20s }", []),
            ("{ source: d, debounce: 5s, max_delay: 5s }", ["P310"]), ("{ source: d, max_delay: 5s }", ["P310"]),
            ("{ source: d, ttl: soon, debounce: 10h }", ["P105"]),
        ] as [(String, [String])]) func `a debounced write comes before the copy expires`(_ tier: String, _ expected: [String])
    {
        #expect(Self.codes("{ tiers: [\(tier), o] }") == expected)
    }

    @Test(
        arguments: [
            // TO-12
            ("{ tiers: [{ source: m, ttl: 1m }, { source: o, timeout: 1s, soft_timeout: 1s }], stale_if_error: 1h }", ["P310"]),
            ("{ tiers: [{ source: o, timeout: 1s, soft_timeout: 2s }] }", ["P310"]),
            ("{ tiers: [{ source: m, ttl: 1m }, { source: o, timeout: 1s, soft_timeout: 999ms }], stale_if_error: 1h }", []),
            ("{ tiers: [{ source: m, ttl: 1m }, { source: o, soft_timeout: 29s }], stale_if_error: 1h }", []),
            ("{ tiers: [{ source: m, ttl: 1m }, { source: o, soft_timeout: 30s }], stale_if_error: 1h }", ["P310"]),
            ("{ tiers: [{ source: m, ttl: 1m }, { source: o, timeout: 1m, soft_timeout: 30s }], stale_if_error: 1h }", []),
            ("{ tiers: [{ source: m, ttl: 1m }, { source: o, soft_timeout: 1s }] }", ["P310"]),
            ("{ tiers: [{ source: o, soft_timeout: 1s }, { source: m, ttl: 1m }], stale_if_error: 1h }", ["P310"]),
            ("{ tiers: [{ source: m, ttl: 1m, read: false }, { source: o, soft_timeout: 1s }], stale_if_error: 1h }", ["P310", "P310"]),
            ("{ tiers: [o], deadline: 1s }", []), ("{ tiers: [{ source: o, timeout: 1s }], deadline: 1s }", ["P310"]),
            ("{ tiers: [{ source: o, timeout: 1s }, { source: p, timeout: 3s }], deadline: 2s }", ["P310"]),
            ("{ tiers: [{ source: o, timeout: soon }], deadline: 1s }", ["P105"]),
            ("{ tiers: [{ source: o, timeout: 1s }], deadline: soon }", ["P105"]),
            ("{ tiers: [{ source: o, retry: { base: 2s, max: 2s } }] }", []),
            // The default of `base` is not written in the file.
            ("{ tiers: [{ source: o, retry: { max: 500ms } }] }", []), ("{ tiers: [{ source: o, retry: { base: 31s } }] }", ["P310"]),
            ("{ tiers: [{ source: m, jitter: 10% }, o] }", ["P310"]), ("{ tiers: [{ source: m, jitter: 0 }, o] }", []),
            ("{ tiers: [{ source: m, jitter: 10%, ttl: 1s }, o] }", []),
        ] as [(String, [String])]) func `TO-12 a limit that something else undoes is pointless`(_ pipeline: String, _ expected: [String])
    {
        #expect(Self.codes(pipeline) == expected)
    }

    @Test(
        arguments: [
            ("{ tiers: [m, o], stale_if_error: 1h, stale_while_revalidate: 1m, refresh_ahead: 0.5 }", ["P310", "P310", "P310"]),
            ("{ tiers: [{ source: m, ttl: 1m }, o], stale_if_error: 1h, stale_while_revalidate: 1m, refresh_ahead: 0.5 }", []),
            ("{ tiers: [m, { source: d, ttl: 1m }, o], stale_if_error: 1h }", []), ("{ tiers: [o], stale_if_error: 1h }", ["P310"]),
            // Its entries may say themselves how long they are fresh.
            ("{ tiers: [m, t], stale_if_error: 1h }", []), ("{ tiers: [t], stale_if_error: 1h }", ["P310"]),
            ("{ tiers: [{ source: m, ttl: soon }, o], stale_if_error: 1h }", ["P105"]),
            ("{ tiers: [m, nowhere], stale_if_error: 1h }", ["P201"]),
            ("{ tiers: [m, o], not_found_ttl: 1s }", []), ("{ tiers: [d, o], not_found_ttl: 1s }", ["P310"]),
            ("{ tiers: [{ source: m, write: false }, o], not_found_ttl: 1s }", ["P310"]), ("{ tiers: [d], not_found_ttl: 1s }", ["P304"]),
        ] as [(String, [String])]) func `a window for what does not come about is pointless`(_ pipeline: String, _ expected: [String])
    {
        #expect(Self.codes(pipeline) == expected)
    }

    @Test(
        arguments: [
            ("2s", "[{ source: s, timeout: 1s }]", "[{ source: s, timeout: 2s }]", ["P310"]),
            ("2s", "[{ source: s, timeout: 1s }]", "[{ source: s, timeout: 3s }]", []), ("2s", "[{ source: s, timeout: 1s }]", "[s]", []),
            ("30s", "[s]", "[s]", []), ("31s", "[s]", "[s]", ["P310"]), ("31s", "[{ source: s, timeout: 1m }]", "[s]", []),
            ("2s", "[{ source: s, timeout: soon }]", "[{ source: s, timeout: 1s }]", ["P105"]),
        ] as [(String, String, String, [String])])
    func `a source's own limit matters when one of its tiers has more time`(
        _ limit: String, _ first: String, _ second: String, _ expected: [String]
    ) {
        let report = Reading.report(
            """
            sources: { s: { type: http, url: "http://h/", timeout: \(limit) } }
            pipelines: { a: { tiers: \(first) }, b: { tiers: \(second) } }
            """)

        #expect(report.codes == expected)
    }

    @Test(
        arguments: [
            ("{ type: shelf }", "{ type: shelf }", ["P307"]), ("{ type: shelf }", "{ type: shelf, room: cellar }", ["P307"]),
            ("{ type: shelf }", "{ type: shelf, room: attic }", []), ("{ type: shelf, board: a }", "{ type: shelf, board: a }", ["P307"]),
            ("{ type: shelf, board: a }", "{ type: shelf }", []), ("{ type: shelf, board: '${NO}' }", "{ type: shelf }", ["P401"]),
            ("{ type: shelf, bord: a }", "{ type: shelf }", ["P101"]),
            ("{ type: file, path: a }", "{ type: file, path: ./a }", ["P307"]), ("{ type: file, path: a }", "{ type: file, path: b }", []),
            ("{ type: file, path: /conf/a }", "{ type: file, path: a }", ["P307"]),
            ("{ type: file, path: x/../a }", "{ type: file, path: a }", ["P307"]),
            ("{ type: file, path: ../conf/a }", "{ type: file, path: a }", ["P307"]),
            ("{ type: file, path: 'x/../{key}' }", "{ type: file, path: './{key}' }", ["P307"]),
            ("{ type: file, path: '{key}/../a' }", "{ type: file, path: a }", ["P307"]),
            ("{ type: file, path: 'c/{key}.json' }", "{ type: file, path: c/p.json }", ["P307"]),
            ("{ type: file, path: c/p.json }", "{ type: file, path: 'x/../c/{pipeline}.json' }", ["P307"]),
            ("{ type: file, path: 'c/{key}.json' }", "{ type: file, path: c/q.json }", []),
            ("{ type: sqlite, path: x.db }", "{ type: sqlite, path: ./y/../x.db }", ["P307"]),
            ("{ type: sqlite, path: x.db }", "{ type: sqlite, path: y.db }", []),
            ("{ type: file, path: A }", "{ type: file, path: a }", []),
            ("{ type: file, path: a }", "{ type: file, path: a, read_only: true }", []),
            ("{ type: file, path: '{key}' }", "{ type: file, path: '{pipeline}' }", []),
            ("{ type: file, path: '${BRACES}' }", "{ type: file, path: '{key}' }", []),
        ] as [(String, String, [String])]) func `two caches do not write one place`(_ first: String, _ second: String, _ expected: [String])
    {
        let report = Reading.report(
            "sources: { a: \(first), b: \(second), o: { type: http, url: \"http://h/\" } }\npipelines: { p: { tiers: [a, b, o] } }\n",
            folder: "/conf", plugins: Reading.plugins + [Self.shelf])

        #expect(report.codes == expected)
    }

    @Test(
        arguments: [
            ("x.json", "{ tiers: [d, o] }", nil, []), ("x.json", "{ tiers: [d, o] }", "{ tiers: [d, o] }", ["P306"]),
            ("{pipeline}.json", "{ tiers: [d, o] }", "{ tiers: [d, o] }", []), ("{key}.json", "{ tiers: [d, o] }", "{ tiers: [d, o] }", []),
            ("{a}.json", "{ parameters: [a], tiers: [d, o] }", nil, []),
            ("{a}.json", "{ parameters: [a, b], tiers: [d, o] }", nil, ["P306"]),
            ("{a}.json", "{ parameters: [a], tiers: [d, o] }", "{ parameters: [a], tiers: [d, o] }", ["P306"]),
            ("{pipeline}/{a}.json", "{ parameters: [a], tiers: [d, o] }", "{ parameters: [a], tiers: [d, o] }", []),
            ("{pipeline}/x.json", "{ parameters: [a], tiers: [d, o] }", "{ tiers: [d, o] }", ["P306"]),
            ("{key}.json", "{ parameters: [a], tiers: [d, o] }", "{ tiers: [d, o] }", []),
            // The form is known also without the variable; what it holds is data.
            ("${NO}/x.json", "{ parameters: [a], tiers: [d, o] }", nil, ["P306", "P401"]),
            ("${NO}/{key}.json", "{ parameters: [a], tiers: [d, o] }", nil, ["P401"]),
            ("${BRACES}.json", "{ parameters: [a], tiers: [d, o] }", nil, ["P306"]),
            // Nothing is written, or it is not known what.
            ("x.json", "{ parameters: [a], tiers: [{ source: d, write: false }, o] }", nil, []),
            ("x/", "{ parameters: [a], tiers: [d, o] }", nil, ["P105"]), ("x.json", "{ parameters: [1], tiers: [d, o] }", nil, ["P105"]),
        ] as [(String, String, String?, [String])])
    func `each key of a cache has a file of its own`(_ path: String, _ first: String, _ second: String?, _ expected: [String]) {
        let report = Reading.report(
            """
            sources:
              d: { type: file, path: "\(path)", max_entries: 10 }
              o: { type: http, url: "http://h/{key}" }
            pipelines:
              p: \(first)
              \(second.map { "q: \($0)" } ?? "")
            """)

        #expect(report.codes.sorted() == expected)
    }

    @Test(
        arguments: [
            ("file, path: '{key}'", "[a]", ["P308"]), ("file, path: '{key}', max_entries: 5", "[a]", []),
            ("file, path: '{key}', max_bytes: 5MB", "[a]", []), ("file, path: '{key}', max_bytes: '${NO}'", "[a]", ["P401"]),
            ("file, path: '{key}', max_entires: 5", "[a]", ["P101"]), ("file, path: '{key}', read_only: true", "[a]", []),
            ("file, path: '{key}'", "[]", []), ("memory", "[a]", []), ("memory, max_entries: 0", "[a]", []), ("shelf", "[a]", []),
        ] as [(String, String, [String])])
    func `a cache of a pipeline with parameters has a bound`(_ source: String, _ parameters: String, _ expected: [String]) {
        let report = Reading.report(
            """
            sources: { c: { type: \(source) }, o: { type: http, url: "http://h/{key}" } }
            pipelines: { p: { parameters: \(parameters), tiers: [c, o] } }
            """, plugins: Reading.plugins + [Self.shelf])

        #expect(report.codes == expected)
    }

    @Test(
        arguments: [
            ("headers: { Authorization: abc }", ["P309"]), ("headers: { aUTHORIZATION: abc }", ["P309"]),
            ("headers: { Authorization: 'Bearer ${TOKEN}' }", []), ("headers: { Authorization: '${NO:-abc}' }", []),
            ("headers: { Authorization: '${file:/abs/token.txt}' }", []), ("headers: { Authorization: '{key}' }", []),
            ("headers: { Authorization: ' ' }", []), ("headers: { Authorization: 'abc$$' }", ["P309"]),
            ("headers: { Authorization: 'abc ${NO}' }", ["P401"]),
            ("headers: { Accept: text/html, X-Tokenizer: a, X-Trace: b }", []),
            ("headers: { X-Token: a, My_Secret: b, Api-Key: c, apikey: d, X-Password-Hash: e }", ["P309", "P309", "P309", "P309", "P309"]),
        ] as [(String, [String])]) func `a credential does not stand in the file`(_ fields: String, _ expected: [String])
    {
        let report = Reading.report(
            "sources: { o: { type: http, url: \"http://h/\", \(fields) } }\npipelines: { p: { tiers: [o] } }\n")

        #expect(report.codes == expected)
    }

    @Test(
        arguments: [
            ("http://me:hunter2@h/", ["P309"]), ("http://hunter2@h/", ["P309"]), ("http://me:${PASSWORD}@h/", []),
            ("http://${TOKEN}@h/", []),
            ("http://me:@h/", []), ("http://:hunter2@h/", ["P309"]), ("http://me:hunter2@${NO}/", ["P401", "P309"]), ("http://h/a@b:c", []),
            ("http://me:hunter2@h:99999/", ["P105"]), ("${API}/me:hunter2@h", []),
        ] as [(String, [String])]) func `a password does not stand in a URL`(_ url: String, _ expected: [String])
    {
        let report = Reading.report("sources: { o: { type: http, url: \"\(url)\" } }\npipelines: { p: { tiers: [o] } }\n")

        #expect(Set(report.codes) == Set(expected))
    }

    @Test func `a secret of a field that is no map is a credential whatever it is called`() {
        let plugin = SourcePlugin(
            origin: "vault", summary: "Opens.", fields: Field<SecretTemplate>("phrase", "The words."),
            Field<FieldMap<SecretTemplate>>("more", "More.")
        ) { _, _, _ in StubSource(clock: .system) }

        let report = Reading.report(
            "sources: { o: { type: vault, more: { a: hunter2 }, phrase: hunter2 } }\npipelines: { p: { tiers: [o] } }\n", plugins: [plugin])

        #expect(report.summary == ["P309 a credential is written in the file: the value of `phrase`"])
        #expect(report.diagnostics.first?.help == "set an environment variable and write `\"${PHRASE}\"` in its place")
    }

    @Test func `a source in very many pipelines is one problem with a few places`() {
        let pipelines = (0..<10_000).map { "  p\($0): { parameters: [a], tiers: [d, o] }\n" }.joined()
        let report = Reading.report(
            "sources:\n  d: { type: file, path: x.json }\n  o: { type: http, url: \"http://h/{a}\" }\npipelines:\n" + pipelines)

        #expect(report.codes == ["P308", "P306"])
        #expect(report.diagnostics.allSatisfy { $0.related.count < 10 })
    }

    @Test func `a file is the same as that of a template only for a pipeline without parameters`() {
        func codes(_ pipeline: String) -> [String] {
            Reading.report(
                """
                sources:
                  a: { type: file, path: ".cache/{key}.json", max_entries: 10 }
                  b: { type: file, path: .cache/f.json }
                  api: { type: http, url: "http://h/{id}" }
                  other: { type: http, url: "http://h/" }
                pipelines:
                  f: \(pipeline)
                  g: { tiers: [{ source: b, ttl: 1h }, other] }

                """
            ).codes.filter { $0 == "P307" }
        }

        #expect(codes("{ tiers: [{ source: a, ttl: 1h }, other] }") == ["P307"])
        #expect(codes("{ parameters: [id], tiers: [{ source: a, ttl: 1h }, api] }") == [])
        #expect(codes("{ tiers: [{ source: a, ttl: 1h, write: false }, other] }") != ["P307"])
    }
}
