import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

/// What is said of sends, and where.
@Suite struct SendDiagnosticTests {
    /// A problem as the text below marks it: from 1️⃣ to 2️⃣.
    struct Case: CustomTestStringConvertible, Sendable {
        let code: String
        let words: String
        let fields: String

        init(_ code: String, _ words: String, _ fields: String) { (self.code, self.words, self.fields) = (code, words, fields) }

        var testDescription: String { "\(code) \(fields)" }
    }

    private static let cases = [
        Case("P215", "`api` takes no sends: its method is `GET`", "to: 1️⃣api2️⃣"),
        Case("P215", "`memory` takes no sends: it is a cache", "to: 1️⃣memory2️⃣"),
        Case("P215", "`events` takes no sends: it reports changes", "to: 1️⃣events2️⃣"),
        Case("P215", "`outbox` takes no sends: it is an outbox", "to: 1️⃣outbox2️⃣"),
        Case("P215", "`memory` is no outbox", "to: store, outbox: 1️⃣memory2️⃣"),
        Case("P201", "undefined source `stor`", "to: 1️⃣stor2️⃣"),
        Case("P201", "undefined source `outbx`", "to: store, outbox: 1️⃣outbx2️⃣"),
        Case("P216", "a pipeline is merged in one way", "to: store, changes: [{ pipeline: groups, op: upsert, id: 1️⃣/id2️⃣ }]"),
        Case("P216", "a pipeline is merged in one way", "to: store, changes: [{ pipeline: groups, op: delete, list: 1️⃣\"\"2️⃣ }]"),
        Case("P216", "a pipeline is merged in one way", "to: store, changes: [{ pipeline: groups, op: patch, version: 1️⃣/v2️⃣ }]"),
        Case("P211", "undefined pipeline `frends`", "to: store, changes: [{ pipeline: 1️⃣frends2️⃣ }]"),
        Case("P212", "has no parameter `usr`", "to: store, changes: [{ pipeline: friends, with: { 1️⃣usr2️⃣: a } }]"),
        Case("P206", "`{usr}` is not a parameter of the send `one`", "to: store, scope: \"a 1️⃣{usr}2️⃣\""),
        Case(
            "P206", "`{nr}` is not a parameter of the send `one`",
            "to: store, changes: [{ pipeline: friends, op: delete, id: /id, target: \"1️⃣{nr}2️⃣\" }]"),
        Case(
            "P206", "`{usr}` is not a parameter of the send `one`",
            "to: store, changes: [{ pipeline: friends, with: { user: \"1️⃣{usr}2️⃣\" } }]"),
        Case("P102", "`upsert` in `friends` needs `id`", "to: store, changes: [{ pipeline: friends, op: 1️⃣upsert2️⃣ }]"),
        Case("P102", "`target` needs `op`", "to: store, changes: [{ pipeline: friends, 1️⃣target2️⃣: \"{id}\" }]"),
        Case("P102", "a change needs `pipeline`", "to: store, changes: [1️⃣{ op: refresh }2️⃣]"),
        Case(
            "P325", "`refetch` sends the whole item again",
            "to: store, on_conflict: 1️⃣refetch2️⃣, changes: [{ pipeline: groups, op: upsert }]"),
        Case("P310", "`id` has no effect beside `op: refresh`", "to: store, changes: [{ pipeline: friends, op: refresh, 1️⃣id2️⃣: /id }]"),
        Case("P310", "`insert` has no effect beside `op: patch`", "to: store, changes: [{ pipeline: groups, op: patch, 1️⃣insert2️⃣: last }]"),
        Case("P104", "the first pause is longer than `max`", "to: store, retry: { base: 1️⃣5s2️⃣, max: 2s }"),
        Case("P105", "is not a header name", "to: store, id_header: 1️⃣2nd2️⃣"),
        Case("P104", "`Content-Length` cannot be set", "to: store, id_header: { name: 1️⃣Content-Length2️⃣ }"),
        Case("P107", "`on` is not allowed for `id_header`", "to: store, id_header: 1️⃣on2️⃣"),
        Case("P105", "malformed JSON Pointer `tag`", "to: store, if_match: 1️⃣tag2️⃣"),
        Case("P101", "unknown field `tiers` in send `one`", "to: store, 1️⃣tiers2️⃣: [api]"),
    ]

    @Test(arguments: cases) func `each problem stands at its place`(_ problem: Case) throws {
        let marked = MarkedText("\(SendReading.head)sends:\n  one: { parameters: [user, id], \(problem.fields) }\n")
        let report = Reading.report(marked.text, plugins: Reading.plugins(for: marked.text))
        let found = report.diagnostics.filter { $0.code != .unusedSource }

        #expect(found.map(\.code.rawValue) == [problem.code], "\(report.summary)")
        #expect(found.first?.message.contains(problem.words) == true, "\(report.summary)")
        #expect(found.first?.range == marked["1️⃣", "2️⃣"])
        #expect(found.first?.help?.isEmpty == false)
    }

    @Test func `a write that may not be repeated is told where it is named`() throws {
        let head = SendReading.head.replacing(", idempotent: true", with: "")
        let marked = MarkedText("\(head)sends:\n  one: { parameters: [user], to: 1️⃣add2️⃣ }\n")
        let found = Reading.report(marked.text, plugins: Reading.plugins(for: marked.text)).diagnostics.filter { $0.code != .unusedSource }

        #expect(found.map(\.code) == [.unrepeatableSend] && found.map(\.severity) == [.warning])
        #expect(found.first?.range == marked["1️⃣", "2️⃣"])
    }

    @Test func `a parameter of the target that a send lacks is told in the target`() {
        let report = SendReading.report("sends: { one: { parameters: [user], to: edit } }\n")

        #expect(report.diagnostics.contains { $0.code == .undeclaredParameter && $0.range.start.line == 6 })
        #expect(report.summary.contains("P206 `{id}` is not a parameter of the send `one`"))
    }

    @Test(arguments: ["{ parameters: [me], to: own, changes: [{ pipeline: friends }] }", "{ to: own, changes: [{ pipeline: friends }] }"])
    func `a key whose parameter gets no value is none`(send: String) {
        let head = SendReading.head.replacing("pipelines:", with: "  own: { type: http, method: PUT, url: \"http://h/\" }\npipelines:")
        let report = SendReading.report("sends: { one: \(send) }\n", head: head)

        #expect(report.summary.contains("P212 the pipeline `friends` needs the parameter `user`"))
    }

    @Test func `a composite changes with its parts`() {
        let head = SendReading.head + "  home: { parameters: [user], combine: { object: { f: friends } } }\n"
        let report = SendReading.report("sends: { one: { parameters: [user], to: store, changes: [{ pipeline: home }] } }\n", head: head)

        #expect(report.codes.filter { $0 != "P203" } == ["P217"])
    }

    @Test func `without an outbox it is told once, and not where a source is unknown`() {
        let head = SendReading.head.replacing("  outbox: { type: outbox, path: .state/outbox.db }\n", with: "")
        let sends = "sends: { one: { parameters: [user], to: store }, two: { parameters: [user], to: store } }\n"

        #expect(SendReading.report(sends, head: head).codes.filter { $0 != "P203" } == ["P215"])
        #expect(
            SendReading.report(sends, head: head.replacing("type: memory,", with: "type: outbx,")).codes.filter { $0 != "P203" } == ["P106"]
        )
    }

    @Test func `two outboxes of one place would take each other's sends`() {
        let head = SendReading.head.replacing("pipelines:", with: "  more: { type: outbox, path: .state/outbox.db }\npipelines:")
        let sends = "sends: { one: { parameters: [user], to: store, outbox: more } }\n"

        #expect(SendReading.report(sends, head: head).codes.filter { $0 != "P203" } == ["P307"])
    }

    @Test(arguments: [
        ("tiers: [outbox, api]", ["P208"]), ("tiers: [api], live: [outbox]", ["P208"]),
        ("tiers: [{ source: memory, ttl: 1m }, api], write_back: { api: [outbox] }", ["P208"]),
    ]) func `an outbox holds no values`(pipeline: String, codes: [String]) {
        let head = SendReading.head + "  more: { parameters: [user], \(pipeline) }\n"

        #expect(SendReading.report("", head: head).codes.filter { $0 != "P203" } == codes)
    }

    @Test(arguments: [
        ("op: replace", "it belongs to a change: `changes: [{ pipeline: NAME, op: replace }]`"),
        ("pipeline: friends", "it belongs to a change: `changes: [{ pipeline: friends }]`"),
        ("method: POST", "it belongs to the source that `to` names, under `sources`: `method: POST`"),
        ("conflict: keep", "did you mean `on_conflict`?"),
        ("tiers: [api]", "it belongs to a pipeline: a send names the source that takes it in `to`"),
    ]) func `a misplaced field is shown its place`(field: String, help: String) {
        let report = SendReading.report("sends: { one: { parameters: [user], to: store, \(field) } }\n")

        #expect(report.diagnostics.first { $0.code == .unknownField }?.help == help)
    }
}
