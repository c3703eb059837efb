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
}
