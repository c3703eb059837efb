import PipelineConfig
import PipelineReports
import Testing

@testable import PipeRunKit
@testable import Pipeline

/// Where a wrong value comes from, and the place at which the file names it.
@Suite struct ValueOriginTests {
    @Test(arguments: [
        ("${BAD_TTL}", "the value comes from the environment variable `BAD_TTL`", 5, 15),
        ("${UNSET:-soon}", "the environment variable `UNSET` is not set, so that its default counts", 5, 19),
        ("${EMPTY:-soon}", "the environment variable `EMPTY` is empty, so that its default counts", 5, 19),
        ("${EMPTY}", "the environment variable `EMPTY` is empty", 5, 13),
        ("a$$${EMPTY}", "the environment variable `EMPTY` is empty", 8, 16),
        ("${UNSET:-${BAD_TTL}}", "the environment variable `UNSET` is not set, so that its default counts", 5, 25),
        ("${file:lines.txt}", "the value comes from the file `lines.txt`", 5, 22),
    ]) func `a value from outside`(written: String, words: String, start: Int, end: Int) throws {
        let report = Reading.report(
            "sources: { m: { type: http, url: 'http://h/' } }\npipelines: { p: { tiers: [m], deadline:\n   \"\(written)\" } }\n")
        let diagnostic = try #require(report.diagnostics.first)

        #expect(diagnostic.code == .malformed)
        #expect(diagnostic.related.map(\.message) == [words])
        #expect(diagnostic.related.first?.range == TextRange(TextPosition(line: 3, column: start), TextPosition(line: 3, column: end)))
        #expect(DiagnosticJSON.text([diagnostic]).contains("\"line\":3,\"column\":\(start),\"message\":"))
    }
}
