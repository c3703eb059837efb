import Foundation
import Pipeline
import PipelineConfig
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// All that is known of P1xx which the schema cannot state. Each pair stands in docs/editor.md, too.
@Suite struct SchemaLimitTests {
    private static func file(http field: String = "method: GET", pipeline: String = "format: json", tier: String = "read: true") -> String {
        """
        sources:
          api: { type: http, url: "http://h/", \(field) }
        pipelines:
          friends:
            \(pipeline)
            tiers: [{ source: api, \(tier) }]
        """
    }

    private static func file(source: String) -> String {
        """
        sources:
          one: { \(source) }
        pipelines:
          friends: { tiers: [one] }
        """
    }

    private static let plugins = Reading.allPlugins

    /// What the decoder refuses and the schema lets pass.
    static let limits: [(rule: String, text: String)] = [
        ("a bool in quotes, where it is a string to YAML", file(tier: "read: \"yes\"")),
        ("an integer that is written as a fraction or a power", file(tier: "retry: { attempts: 3.0 }")),
        ("an integer beyond 64 bits", file(tier: "circuit_breaker: { failures: 99999999999999999999 }")),
        ("a quantity with a sign, in hexadecimal or as a power", file(http: "max_size: 0x1F")),
        ("a duration that is too long to count", file(tier: "timeout: 999999999d")),
        ("a duration or a size below its least, unless it is zero", file(http: "timeout: 1us")),
        ("a text with a variable, beyond the variable", file(tier: "timeout: \"${UNSET:-30s} or so\"")),
        ("the inside of a variable", file(pipeline: "description: \"${1}\"")),
        ("a text that ends within a variable", file(pipeline: "description: \"${\"")),
        ("a range of statuses that ends before it begins", file(http: "accept_status: [299-200]")),
        ("a header that follows from the body", file(http: "headers: { Content-Length: \"1\" }")),
        ("a command without a program, or with a parameter in it", file(source: "type: command, command: [\"{user}\"]")),
        ("a number that JSON does not have, in a value given as JSON", file(source: "type: inline, value: [.inf]")),
        ("a value of more than 100 characters for a quantity", file(tier: "timeout: \(String(repeating: "0", count: 100))1s")),
    ]

    /// What must hold between fields of several feeds, of `op` or of `reconnect`, which no schema states.
    static func isBetweenFields(_ message: String) -> Bool {
        [
            "merge into one list", "has no words: every message would be skipped", ": it stands for `",
            "the first pause is longer than `max`", "of a batch has no place for the ids", "of a batch names several parameters",
            "names one id, and `batch` requests several", "has the same URL for one value as for several",
            "and a value of a `batch` is one row", "does not end in the name of a member",
            "for `begin`: it is more than `max`", "no feed of the pipeline says where an item has its id",
        ].contains { message.contains($0) }
    }

    private static func file(live: String, one: String) -> String {
        """
        sources:
          api: { type: http, url: "http://h/" }
          one: { type: websocket, url: "ws://h/", \(one) }
          two: { type: websocket, url: "ws://h/2" }
        pipelines:
          friends: { tiers: [api], live: [\(live)] }
        """
    }

    @Test(arguments: [
        (
            "feeds of one pipeline that merge into different lists, or by different ids, versions or places",
            "{ source: one, id: /id }, { source: two, id: /x }"
        ),
        ("an `op` without words", "{ source: one, id: /id, op: { at: /type } }"),
        ("a word in two members of `op`", "{ source: one, id: /id, op: { at: /type, upsert: a, delete: [b, a] } }"),
    ]) func `the decoder refuses feeds that the schema lets pass`(rule: String, live: String) throws {
        try check(rule, Self.file(live: live, one: "ready: { /a: b }"), plugins: Reading.plugins + LiveStandIns.all)
    }

    @Test func `the decoder refuses pauses that the schema lets pass`() throws {
        let text = Self.file(live: "one", one: "reconnect: { base: 10s, max: 1s }").replacing(
            "  two: { type: websocket, url: \"ws://h/2\" }\n", with: "")
        try check("a `reconnect` whose `base` is longer than its `max`", text, plugins: Self.plugins)
    }

    @Test(arguments: [
        (
            "a `batch` whose `url` or `query` has no place for the ids, or several and none that `parameter` names",
            "{ type: http, url: \"http://h/{id}\", batch: { url: \"http://h/?ids\", id: /id } }"
        ),
        (
            "a `batch` whose `url` or `query` has no place for the ids, or several and none that `parameter` names",
            "{ type: sqlite_query, path: a.db, query: SELECT :id, batch: { query: \"SELECT :id, :a, :b\", id: /id, parameter: c } }"
        ),
        (
            "`headers`, `query` or `body` with the id of a `batch`",
            "{ type: http, url: \"http://h/{id}\", query: { k: \"{id}\" }, batch: { url: \"http://h/?ids={id}\", id: /id } }"
        ),
        (
            "a `batch` with the `url` of its source",
            "{ type: http, url: \"http://h/{id}\", batch: { url: \"http://h/{id}\", id: /id } }"
        ),
        (
            "`rows: many` beside a `batch`",
            "{ type: sqlite_query, path: a.db, query: SELECT :id, rows: many, batch: { query: \"SELECT :id\", id: /id } }"
        ),
    ]) func `the decoder refuses batches that the schema lets pass`(rule: String, source: String) throws {
        let text = """
            sources:
              one: \(source)
            pipelines:
              friends: { parameters: [id, a, b], tiers: [one] }
            """
        try check(rule, text, plugins: SchemaAgreementTests.plugins)
    }

    @Test func `the decoder refuses a bound that the schema lets pass`() throws {
        let text = """
            sources:
              one: { type: http, url: "http://h/", limits: { concurrency: { begin: 9, max: 8 } } }
            pipelines:
              friends: { tiers: [one] }
            """
        try check("a bound of requests whose `begin` is more than its `max`", text, plugins: Self.plugins)
    }

    @Test(arguments: [
        ("the `retry` of a send whose `base` is longer than its `max`", "retry: { base: 10s, max: 1s }"),
        ("a change of a list without `id`, in a pipeline that no feed merges", "changes: [{ pipeline: friends, op: upsert }]"),
    ]) func `the decoder refuses sends that the schema lets pass`(rule: String, field: String) throws {
        let text = """
            sources:
              one: { type: http, url: "http://h/" }
              two: { type: http, url: "http://h/", method: PUT }
              outbox: { type: outbox, path: a.db }
            pipelines:
              friends: { tiers: [one] }
            sends:
              add: { to: two, \(field) }
            """
        try check(rule, text, plugins: Self.plugins)
    }

    @Test(arguments: ["", "$", "\"$[0]\"", "\"$.friends[*]\""])
    func `the decoder refuses places of links that the schema lets pass`(at: String) throws {
        let text = """
            sources:
              one: { type: http, url: "http://h/" }
            pipelines:
              user: { parameters: [id], tiers: [one] }
              friends: { tiers: [one], links: { user: { at: \(at.isEmpty ? "\"\"" : at), pipeline: user } } }
            """
        try check("a link whose `at` does not end in the name of a member", text, plugins: Self.plugins)
    }

    private func check(_ rule: String, _ text: String, plugins: [SourcePlugin]) throws {
        let diagnostics = Reading.report(text, level: .graph, plugins: plugins).diagnostics.filter { $0.severity == .error }
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/editor.md")

        #expect(diagnostics.count == 1 && diagnostics.allSatisfy { Self.isBetweenFields($0.message) && $0.code.level == .schema })
        #expect(try SchemaJudge(schema: ConfigSchema.json(plugins: plugins)).refusals(of: [text]) == [nil])
        #expect(try String(contentsOf: page, encoding: .utf8).contains("- \(rule)\n"))
    }

    @Test func `the decoder refuses what the schema cannot`() throws {
        let judged = try SchemaJudge(schema: ConfigSchema.json(plugins: Self.plugins)).refusals(of: Self.limits.map(\.text))

        for (limit, refusal) in zip(Self.limits, judged) {
            #expect(!SchemaAgreementTests.refusals(of: limit.text, level: .schema, plugins: Self.plugins).isEmpty, "\(limit.rule)")
            #expect(refusal == nil, "\(limit.rule)")
        }
    }

    @Test func `each of them is documented`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/editor.md")
        let text = try String(contentsOf: page, encoding: .utf8)

        for (rule, _) in Self.limits { #expect(text.contains("- \(rule)\n"), "\(rule)") }
    }

    @Test func `without its limits the file is good`() throws {
        let judged = try SchemaJudge(schema: ConfigSchema.json(plugins: Reading.plugins)).refusals(of: [Self.file()])

        #expect(SchemaAgreementTests.refusals(of: Self.file(), level: .schema) == [])
        #expect(judged == [nil])
    }
}
