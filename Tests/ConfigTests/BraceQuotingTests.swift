import Pipeline
import PipelineConfig
import Testing

@testable import PipelineYAML

/// The line with the quotes that YAML wants around braces.
@Suite struct BraceQuotingTests {
    private static let lines: [(written: String, mended: String)] = [
        ("headers: { Authorization: Bearer ${T} }", "headers: { Authorization: \"Bearer ${T}\" }"),
        ("disk: {type: file, path: .cache/{key}.json}", "disk: {type: file, path: \".cache/{key}.json\"}"),
        ("api: { url: ${URL:-http://h}, type: http }", "api: { url: \"${URL:-http://h}\", type: http }"),
        ("disk: { path: ${DIR:-x} }", "disk: { path: \"${DIR:-x}\" }"),
        ("disk: { path: ${DIR:-${HOME:-/tmp}}/{key}, type: file }", "disk: { path: \"${DIR:-${HOME:-/tmp}}/{key}\", type: file }"),
        ("a: { b: ${X}, c: \"{d}\", e: {f}g }", "a: { b: \"${X}\", c: \"{d}\", e: \"{f}g\" }"),
        ("path: {key}.json # {not} this", "path: \"{key}.json\" # {not} this"),
        ("- [curl, http://h/{user}, -s]", "- [curl, \"http://h/{user}\", -s]"),
        ("path: {key} and more", "path: \"{key} and more\""), ("a: {b: {c: d, e: f{g}}}", "a: {b: {c: d, e: \"f{g}\"}}"),
        ("a: { b: say \"{x}\" }", "a: { b: 'say \"{x}\"' }"), ("{ a: &n ${X} }", "{ a: &n \"${X}\" }"),
    ]

    @Test(arguments: lines) func `puts the whole value in quotes, and no more`(written: String, mended: String) {
        #expect(BraceQuoting.quoted(written) == mended)
    }

    @Test(arguments: [
        "a: { b: c }", "a: {b}", "a: [{b}, {c}]", "a: \"{b}\"", "a: { b: '${C}' }", "a: ${B", "# {x}y", "", "{", "}", "\"", "a: \"{b",
        "&a", "- - {}", "a: b}", String(repeating: "x{a} ", count: 60),
    ]) func `finds nothing to put in quotes`(line: String) {
        #expect(BraceQuoting.quoted(line) == nil)
        #expect(BraceQuoting.fix(line, number: 1) == nil)
    }

    @Test(arguments: [
        ("headers: { Authorization: Bearer ${TOKEN} }", "headers: { Authorization: \"Bearer ${TOKEN}\" }"),
        ("headers: {Authorization: ${TOKEN}}", "headers: {Authorization: \"${TOKEN}\"}"),
        ("url: ${API:-http://h/}, method: GET", "url: \"${API:-http://h/}\", method: GET"),
        ("headers: { A: x ${API} \"y\" }", "headers: { A: 'x ${API} \"y\"' }"),
        ("headers: { A: x ${API} \\d }", "headers: { A: 'x ${API} \\d' }"),
        ("headers: { A: x ${API} 'y' }", "headers: { A: \"x ${API} 'y'\" }"),
        ("headers: { A: ä's ${API} \"it's\" }", "headers: { A: 'ä''s ${API} \"it''s\"' }"),
    ]) func `mends it`(written: String, mended: String) {
        func text(_ fields: String) -> String {
            let url = fields.hasPrefix("url") ? "" : "url: \"http://h/\", "
            return "sources:\n  o: { type: http, \(url)\(fields) }\npipelines: { p: { tiers: [o] } }\n"
        }

        let fixed = FixedFile(Reading.file(text(written)), plugins: Reading.plugins, environment: Reading.environment)

        #expect(
            Reading.report(text(written)).diagnostics.first?.help
                == "quote the braces: `\(text(mended).split(separator: "\n")[1].drop { $0 == " " })`")
        #expect(String(decoding: fixed.file.text, as: UTF8.self) == text(mended))
        #expect(fixed.report.diagnostics.isEmpty)
    }

    @Test(arguments: [
        ("url: \"http://h/\", headers: { X-User: {user} }", "quote the braces: `X-User: \"{user}\"`"),
        ("url: \"http://h/\", query: { u: {user} }", "quote the braces: `u: \"{user}\"`"),
        ("url: {user}", "quote the braces: `url: \"{user}\"`"),
    ]) func `names the member that the braces are the value of, and says nothing of the parameter`(fields: String, help: String) {
        let report = Reading.report(
            "sources:\n  o: { type: http, \(fields) }\npipelines: { p: { parameters: [user], tiers: [o] } }\n")

        #expect(report.codes == ["P103"])
        #expect(report.diagnostics.map(\.help) == [help])
    }

    @Test func `an element of a list has no name`() {
        let report = Reading.report(
            "sources:\n  o: { type: command, command: [echo, {user}] }\npipelines: { p: { parameters: [user], tiers: [o] } }\n",
            plugins: Reading.allPlugins)

        #expect(report.codes == ["P103"])
        #expect(report.diagnostics.map(\.help) == ["quote the braces: `\"{user}\"`"])
    }

    @Test func `a body that is no text says nothing of parameters`() {
        let report = Reading.report(
            "sources:\n  o: { type: http, url: \"http://h/\", method: POST, body: { \"user\": \"{user}\" } }\n"
                + "pipelines: { p: { parameters: [user], tiers: [o] } }\n")

        #expect(report.codes == ["P103"])
    }

    @Test func `a parameter that nothing uses is told beside a value of another kind that could not be read`() {
        let report = Reading.report(
            "sources:\n  o: { type: http, url: \"http://h/\", timeout: soon }\npipelines: { p: { parameters: [user], tiers: [o] } }\n")

        #expect(report.codes.sorted() == ["P105", "P207"])
    }

    @Test(arguments: [
        ("author: { at: $[*].author_id, pipeline: user }", "author: { at: \"$[*].author_id\", pipeline: user }", "at: \"$[*].author_id\""),
        ("author: {pipeline: user, at: $.a[0].b}", "author: {pipeline: user, at: \"$.a[0].b\"}", "at: \"$.a[0].b\""),
    ]) func `a path in a flow mapping wants quotes`(written: String, mended: String, help: String) {
        func text(_ link: String) -> String {
            "sources:\n  o: { type: http, url: \"http://h/\" }\n  u: { type: http, url: \"http://h/{id}\" }\npipelines:\n"
                + "  user: { parameters: [id], tiers: [u] }\n  p: { tiers: [o], links: { \(link) } }\n"
        }

        let report = Reading.report(text(written))
        let fixed = FixedFile(Reading.file(text(written)), plugins: Reading.plugins, environment: Reading.environment)

        #expect(report.codes == ["P001"])
        #expect(report.diagnostics.map(\.help) == ["quote the path: `\(help)`"])
        #expect(String(decoding: fixed.file.text, as: UTF8.self) == text(mended))
        #expect(fixed.report.diagnostics.isEmpty, "\(fixed.report.diagnostics)")
    }

    @Test(
        arguments: [
            ("a: { at: $['b', 'c'].d }", "at: \"$['b', 'c'].d\""), ("at: $[\"b\"]", "at: '$[\"b\"]'"), ("at: $.b", nil),
            ("at: \"$[0]\"", nil),
            ("$[0]", nil), ("at:$[0]", nil), ("", nil), ("at: $[", "at: \"$[\""), ("at: $['\"']", "at: '$[''\"'']'"),
        ] as [(String, String?)]) func `finds the path that lacks its quotes`(line: String, quoted: String?)
    {
        #expect(PathQuoting(line, number: 1)?.quoted == quoted)
    }
}
