import PipelineYAML
import SourcesCommand
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// Each problem says the edit that mends it.
@Suite struct HelpTests {
    private static func report(sources: String = "", tier: String = "m", pipeline: String = "") -> ConfigReport {
        Reading.report(
            "sources:\n  m: { type: memory\(sources) }\npipelines: { p: { tiers: [\(tier)]\(pipeline) } }\n",
            plugins: Reading.plugins + [.command])
    }

    private static func report(fieldOfTier field: String) -> ConfigReport {
        Reading.report(
            """
            sources: { m: { type: memory }, o: { type: http, url: "http://h/" } }
            pipelines: { p: { tiers: [{ source: m, \(field) }, o] } }

            """)
    }

    @Test(arguments: GoldenTests.names) func `every problem of the golden files has help`(_ name: String) async throws {
        for diagnostic in try await GoldenTests.read(name).diagnostics { #expect(diagnostic.help?.isEmpty == false, "\(diagnostic)") }
    }

    @Test(arguments: [
        ("timeout: 1w", "write `7d`"), ("timeout: 5 minutes", "write `5m`"), ("timeout: 10mins", "write `10m`"),
        ("timeout: 1H", "write `1h`"),
        ("timeout: 30S", "write `30s`"), ("timeout: 1h 30 min", "write `1h30m`"), ("timeout: 2 weeks", "write `14d`"),
        ("timeout: \"\"", "write `timeout: 10s`"), ("timeout: soon", "write `timeout: 10s`"),
        ("timeout: 9999999999999y", "write `timeout: 10s`"),
        ("timeout: 1m 1h", "write `1h1m`"), ("timeout: -1s", "write `1s`"), ("timeout: 0s", "write `timeout: 10s`"),
        ("timeout: 99999999999999d", "write `timeout: 10s`"),
        ("ttl: [30s]", "write `ttl: 30s`"), ("read: n", "write `read: false`"), ("read: Y", "write `read: true`"),
        ("read: maybe", "write `read: true` or `read: false`"), ("jitter: \"0,5\"", "write `0.5`"), ("jitter: 80 %", "write `80%`"),
        ("jitter: half", "write `jitter: 10%`"), ("jitter: 2", "write `2%`"), ("jitter: 200", "write `jitter: 10%`"),
        ("timeout:3s", "put a space after the `:`: `timeout: 3s`"),
        ("timeout: \"${BAD_TTL}\"", "set the variable to such a value: `BAD_TTL=10s`"),
        ("timeout: \"${BAD_TTL}0s\"", "write `timeout: 10s`"), ("retry: { attempts: 0 }", "write `attempts: 3`"),
        ("retry: { attempts: 1000 }", "write `attempts: 100`"), ("retry: 5s", "write `retry: { base: 5s }`"),
        ("retry: 0", "remove `retry`"),
        ("circuit_breaker: 3", "write `circuit_breaker: { failures: 3 }`"),
    ]) func `a value of a tier`(field: String, help: String) {
        #expect(Self.report(fieldOfTier: field).diagnostics.map(\.help) == [help])
    }

    @Test(arguments: [
        (", max_entries: lots", "write `max_entries: 10000`"), (", max_entries: 99999999999999999999", "write `max_entries: 10000`"),
        (", max_entries: \"5\"", "remove the quotes"), (", max_bytes: 64 megabytes", "write `64MB`"), (", max_bytes: 64M", "write `64MB`"),
        (", max_bytes: huge", "write `max_bytes: 64MiB`"),
    ]) func `a value of a source`(fields: String, help: String) {
        #expect(Self.report(sources: fields).diagnostics.contains { $0.help == help })
    }

    @Test(arguments: [
        ("limits: { rate: 5/s, burst: 0 }", "write `burst: 1`"), ("limits: { rate: 5/s, burst: 9999999 }", "write `burst: 1000000`"),
        ("limits: { queue: none }", "write `queue: 1000`"), ("limits: { queue: -1 }", "write `queue: 1000`"),
        ("limits: { concurrency: Auto }", "did you mean `auto`?"), ("limits: { concurrency: many }", "write `concurrency: 4`"),
        ("limits: { concurrency: { begin: 64, max: 6 } }", "write `begin: 6`, or make `max` greater"),
        ("limits: { concurrency: { begin: 0 } }", "write `begin: 6`"), ("limits: { rate: 50 }", "write `50/s` for so many in a second"),
        ("limits: { rate: 0.5/s }", "write `30/m`"), ("limits: { rate: 1/10s }", "write `6/m`"),
        ("limits: { rate: 50 per minute }", "write `50/m`"), ("limits: { rate: 50 req/s }", "write `50/s`"),
        ("limits: { rate: 50rps }", "write `50/s`"), ("limits: { rate: 50/sec }", "write `50/s`"),
        ("limits: { rate: 0/s }", "leave `rate` out for no limit; the least rate is `1/d`"),
        ("limits: { rate: fast }", "write `rate: 50/s`"),
        ("limits: 4", "write `limits: { concurrency: 4 }`"), ("limits: 50/s", "write `limits: { rate: 50/s }`"),
        ("limits: 0", "remove `limits`"),
        ("limits: auto", "write `limits: { concurrency: auto }`"),
        ("limits: much", "its fields are `concurrency`, `queue`, `rate`, `burst`, `rest`"),
        ("hedge: p95", "write `hedge: { after: p95 }`"), ("hedge: 300ms", "write `hedge: { after: 300ms }`"),
        ("hedge: 5%", "write `hedge: { budget: 5% }`"), ("hedge: true", "write `hedge: { after: p95 }`"),
        ("hedge: false", "remove `hedge`"),
        ("hedge: 0", "remove `hedge`"), ("hedge: 5", "its fields are `after`, `budget`, `at_most`"),
        ("hedge: { after: 300ms, at_most: 1s }", "remove `at_most`, or give a percentile, as in `after: p95`"),
        ("timeout: 100ms, hedge: { after: 300ms }", "make `after` shorter than 100ms, or `timeout` longer"),
        ("hedge: { after: 31s }", "make `after` shorter than 30s, or give the tier a longer `timeout`"),
        ("hedge: {}, retry_budget: 0", "remove `hedge`, or allow some"), ("retry_budget: 2", "write `2%`"),
        ("retry_budget: 200", "write `retry_budget: 20%`"),
        ("proxy: \"socks5://127.0.0.1:1080\"", "write it as `http://proxy.example.org:3128`"),
        ("caching: headers, default_freshness: heuristics", "did you mean `heuristic`?"),
        ("caching: headers, default_freshness: soon", "write `default_freshness: 10m`"),
    ]) func `a value about the network`(fields: String, help: String) {
        let report = Reading.report(
            "sources:\n  o: { type: http, url: \"http://h/\", \(fields) }\npipelines: { p: { tiers: [o] } }\n")

        #expect(report.diagnostics.map(\.help) == [help], "\(report.diagnostics)")
    }

    @Test(arguments: [
        ("limits: { concurrency: { begin: 6, max: 4 } }", "timeout: 10s"), ("hedge: { after: p95, at_most: 1s }", "timeout: 500ms"),
        ("timeout: 1s, hedge: { after: 300ms }", "timeout: 1s"),
    ]) func `what means something is not complained about`(fields: String, tier: String) {
        let report = Reading.report(
            "sources:\n  o: { type: http, url: \"http://h/\", \(fields) }\npipelines: { p: { tiers: [{ source: o, \(tier) }] } }\n")

        #expect(!report.diagnostics.contains { $0.message.contains("hedge") || $0.severity == .error }, "\(report.diagnostics)")
    }

    @Test(arguments: [
        (", format: [json]", "write `format: json`"), (", deadline: 5 minutes", "write `5m`"),
        (", write_back: { m: m }", "write `m: [m]`"),
        (", write_back: m", "name the source whose answers go there, as in `write_back: { api: [m] }`"),
        (", write_back: all", "write `write_back: auto`"),
        (", write_back: never", "write `write_back: none`"),
        (", write_back: off", "write `write_back: none`"),
        (", write_back: { m: { a: b } }", "list the caches that it goes to, as in `m: [memory]`"),
        (", parameters: \"a b\"", "write `parameters: [a, b]`"), (", parameters: \"a-b\"", "list their names, as in `parameters: [user]`"),
    ]) func `a value of a pipeline`(fields: String, help: String) {
        #expect(Self.report(pipeline: fields).diagnostics.contains { $0.help == help })
    }

    @Test(arguments: [
        ("sources: { c: { type: command, command: \"ls -l\" } }\npipelines: { p: { tiers: [c] } }", "write `[ls, -l]`"),
        ("sources: { c: { type: command, command: \"echo 'a b'\" } }\npipelines: { p: { tiers: [c] } }", "write `[echo, a b]`"),
        (
            "sources: { c: { type: command, command: '{\"a b\": 1}' } }\npipelines: { p: { tiers: [c] } }",
            #"write `command: ['{"a b": 1}']`"#
        ),
        ("sources: { m: { type: memory } }\npipelines: [p]", "name the first below it, as in `friends: { tiers: [memory] }`"),
        ("sources: {}\npipelines: { p: { tiers: [m] } }", "name the first below it, as in `memory: { type: memory }`"),
        (
            "sources: { o: { type: http, url: nowhere } }\npipelines: { p: { tiers: [o] } }",
            "expected a URL such as `https://api.example.org/friends`"
        ),
        ("sources:\n  o:\n    type: http\n    url:http://h/\n    timeout: 1s", "write `url: http://h/`"),
        ("%YAML 3.0\n---\na: b", "remove the line that begins with `%YAML`"),
        ("a: \"\\xZZ\"", "write two digits after `\\x`, four after `\\u`, eight after `\\U`; or use single quotes"),
        ("a: - b", "begin the list in the line below, or put quotes around a text with `- ` in it"),
        ("a: !x!y b", "remove the tag, or put quotes around a text that begins with `!`"),
    ]) func `the rest of a file`(text: String, help: String) {
        let helps = Reading.report(text + "\n", plugins: Reading.plugins + [.command]).diagnostics.map(\.help)

        #expect(helps.contains(help), "\(helps)")
        #expect(!helps.contains(nil))
    }

    @Test func `a source that is none of none is to be declared`() {
        let report = Reading.report("sources: { }\npipelines: { p: { tiers: [m] } }\n")

        #expect(report.diagnostics.allSatisfy { $0.help != nil }, "\(report.diagnostics)")
    }

    @Test(arguments: ["/nonexistent/a.yaml", "/", "/dev/null/a"]) func `a file that cannot be read`(path: String) {
        #expect(ConfigFile(path: path).report(plugins: Reading.plugins).diagnostics.map { $0.help != nil } == [true])
    }

    @Test func `the name of a header is marked, and not all of them`() throws {
        let report = Reading.report(
            "sources:\n  o: { type: http, url: \"http://h/\", headers: { Accept: json, \"Bad Name\": x } }\npipelines: { p: { tiers: [o] } }\n"
        )
        let diagnostic = try #require(report.diagnostics.first)

        #expect(diagnostic.message == "`Bad Name` is not a header name: expected letters, digits and `-`")
        #expect(diagnostic.range.start.column == 63 && diagnostic.range.end.column == 73)
    }

    @Test(arguments: [
        ("type: memory, max_entries: \"5\"", "type: memory, max_entries: 5"),
        ("type: memory, \"max_entries\": '5'", "type: memory, \"max_entries\": 5"),
        ("type: memory, max_entries:5", "type: memory, max_entries: 5"),
    ]) func `mends quotes around a number and a missing space`(wrong: String, right: String) {
        func text(_ fields: String) -> String { "sources:\n  m: { \(fields) }\npipelines: { p: { tiers: [m] } }\n" }

        let fixed = FixedFile(Reading.file(text(wrong)), plugins: Reading.plugins, environment: Reading.environment)

        #expect(String(decoding: fixed.file.text, as: UTF8.self) == text(right))
    }

    @Test func `a least time is said in words`() {
        #expect(
            Self.report(fieldOfTier: "timeout: 0s").diagnostics.first?.message
                == "`0s` is out of range for `timeout`: expected more than 0s")
    }

    @Test(arguments: [
        ("sorces", "pipelines", "did you mean `sources`?"), ("source", "pipelines", "did you mean `sources`?"),
        ("sources", "pipelnes", "did you mean `pipelines`?"), ("sources", "pipeline", "did you mean `pipelines`?"),
    ]) func `a mistyped section is one problem`(sources: String, pipelines: String, help: String) {
        let report = Reading.report(
            """
            \(sources):
              memory: { type: memory, max_entries: 10 }
              api: { type: http, url: "http://h/" }
            \(pipelines):
              p: { tiers: [{ source: memory, ttl: 1m }, api], write_back: { api: [memory] } }

            """)

        #expect(report.codes == ["P101"])
        #expect(report.diagnostics.map(\.help) == [help])
    }

    @Test func `tiers are undefined where no section of sources is there`() {
        #expect(Reading.report("pipelines: { p: { tiers: [m] } }\n").codes == ["P102", "P201"])
    }
}
