import Foundation
import PipelineTesting
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import Pipeline
@testable import PipelineConfig
@testable import PipelineJSON
@testable import PipelineReports

/// What `config` prints: the configuration as it holds.
@Suite struct EffectiveConfigTests {
    static func printed(_ file: ConfigFile) -> String {
        let report = file.report(plugins: Reading.plugins, environment: Reading.environment)
        let config = EffectiveConfig(report, folder: file.folder, plugins: Reading.plugins, environment: Reading.environment)
        return ConfigYAML(file: file.name).text(config)
    }

    static func printed(_ text: String) -> String { printed(Reading.file(text)) }

    /// The lines that name `key`, with their remarks, spaces collapsed.
    static func lines(_ key: String, of text: String) -> [String] {
        printed(text).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }.filter { $0.hasPrefix(key + ":") }
    }

    static let minimal = "sources: { m: { type: memory } }\npipelines: { p: { tiers: [m] } }\n"

    @Test func `names every value with its place or its default`() {
        let printed = Self.printed(Self.minimal)

        #expect(
            printed == """
                version: 1              # default
                sources:
                  m:
                    type: memory        # pipeline.yaml:1
                    max_entries: 10000  # default
                pipelines:
                  p:
                    tiers:
                      - source: m       # pipeline.yaml:2
                        ttl: none       # default
                        jitter: 0       # default
                        on_error: next  # default
                        read: true      # default
                        write: true     # default
                    parameters: []      # default
                    format: json        # default
                    write_back: auto    # default
                    priority: normal    # default
                    max_size: 64MiB     # default

                """)
    }

    @Test func `an origin has no policies of caches`() {
        let printed = Self.printed("sources: { o: { type: http, url: 'http://h' } }\npipelines: { p: { tiers: [o] } }\n")

        #expect(!printed.contains("ttl") && !printed.contains("jitter"))
    }

    @Test(arguments: [
        ("type: file, path: \"c/{key}\"", "source: s", ["timeout: 30s # default"], []),
        ("type: file, path: \"c/{key}\"", "source: s, timeout: 2s", ["timeout: 2s # pipeline.yaml:2"], []),
        ("type: memory", "source: s, debounce: 2s", [], ["max_delay: 20s # default"]),
        ("type: memory", "source: s, debounce: \"${SOME:-500ms}\"", [], ["max_delay: 5s # default"]),
        ("type: memory", "source: s, debounce: 2s, max_delay: 3s", [], ["max_delay: 3s # pipeline.yaml:2"]),
        // The shorter holds.
        ("type: http, url: \"http://h/\", timeout: 2s", "source: s", ["timeout: 2s # pipeline.yaml:1"], []),
        ("type: http, url: \"http://h/\", timeout: 60s", "source: s", ["timeout: 60s # pipeline.yaml:1", "timeout: 30s # default"], []),
    ]) func `what holds where nothing is said is written out`(source: String, tier: String, timeouts: [String], delays: [String]) {
        let text = "sources: { s: { \(source) } }\npipelines: { p: { tiers: [{ \(tier) }] } }\n"

        #expect(Self.lines("timeout", of: text) == timeouts)
        #expect(Self.lines("max_delay", of: text) == delays)
    }

    @Test func `what is called as a credential is masked wherever it stands`() {
        let text = """
            sources: { o: { type: http, url: "${API}/x", body: "${file:conf/token.txt}", query: { a: "${TOKEN}", b: "${TTL}" } } }
            pipelines: { p: { tiers: [o] } }
            """

        #expect(Self.lines("body", of: text) == ["body: \"***\" # pipeline.yaml:1, from the file conf/token.txt, secret"])
        #expect(Self.lines("a", of: text) == ["a: \"***\" # pipeline.yaml:1, from the environment: TOKEN, secret"])
        #expect(Self.lines("b", of: text) == ["b: 10m # pipeline.yaml:1, from the environment: TTL"])
    }

    @Test func `a reference is no secret, and stays`() {
        let text = """
            sources:
              o: { type: http, url: "http://h/", headers: { Authorization: "Bearer ${TOKEN}", X-Key: "${TOKEN}", Cookie: "a=${TOKEN}" } }
            pipelines: { p: { tiers: [o] } }
            """

        let remark = "# pipeline.yaml:2, from the environment: TOKEN, secret"
        #expect(Self.lines("Authorization", of: text) == ["Authorization: Bearer ${TOKEN} \(remark)"])
        #expect(Self.lines("X-Key", of: text) == ["X-Key: \"${TOKEN}\" \(remark)"])
        #expect(Self.lines("Cookie", of: text) == ["Cookie: \"***\" # pipeline.yaml:2, secret"])
        #expect(Reading.report(Self.printed(text)).summary.allSatisfy { $0.contains("Cookie") })
    }

    @Test func `what is printed has no limit that never matters`() {
        let text = """
            sources: { o: { type: http, url: "http://h/" } }
            pipelines: { p: { deadline: 10s, tiers: [o] }, q: { deadline: 1m, tiers: [o] } }
            """

        #expect(Self.lines("timeout", of: text) == ["timeout: 30s # default"])
        #expect(Reading.report(Self.printed(text)).summary == [])
    }

    @Test func `says where a value came from`() {
        let text = """
            sources:
              o: { type: http, url: "${API}/x", timeout: "${UNSET:-2s}", body: "${file:lines.txt}" }
              m: &m { type: memory, max_entries: "${COUNT:-7}" }
              n: { <<: *m, max_bytes: 1MiB }
              k: *m
            pipelines: { p: { tiers: [m, n, k, { source: o }] } }
            """

        #expect(Self.lines("url", of: text) == ["url: http://127.0.0.1:8787/x # pipeline.yaml:2, from the environment: API"])
        #expect(Self.lines("timeout", of: text) == ["timeout: 2s # pipeline.yaml:2, the default of UNSET, which is not set"])
        #expect(Self.lines("body", of: text) == ["body: \"one\\ntwo\" # pipeline.yaml:2, from the file lines.txt"])
        #expect(
            Self.lines("max_entries", of: text) == [
                "max_entries: 7 # pipeline.yaml:3, the default of COUNT, which is not set",
                "max_entries: 7 # pipeline.yaml:3, used in line 4, the default of COUNT, which is not set",
                "max_entries: 7 # pipeline.yaml:3, used in line 5, the default of COUNT, which is not set",
            ])
    }

    @Test func `masks secrets wherever they stand`() {
        let text = """
            sources:
              o:
                type: http
                url: "http://joe:${PASSWORD}@h/{key}?t=${TOKEN}"
                headers: { Authorization: "Bearer ${TOKEN}", X-Plain: abc }
                query: { again: "${TOKEN}" }
            pipelines: { p: { description: "with ${TOKEN}", tiers: [o] } }
            """

        let printed = Self.printed(text)

        #expect(!printed.contains("s3cr3t") && !printed.contains("p@ss") && !printed.contains("joe") && !printed.contains("abc"))
        #expect(printed.contains("url: \"http://***@h/{key}?t=***\"") || printed.contains("url: http://***@h/{key}?t=***"))
        #expect(Self.lines("again", of: text) == ["again: \"***\" # pipeline.yaml:6, from the environment: TOKEN, secret"])
        // What is masked is no credential, and looks like one.
        #expect(Reading.report(printed).summary.allSatisfy { $0.hasPrefix("P309 ") })
    }

    @Test(arguments: [
        "no", "1e3", "0x1F", "2001-01-01", "{a}", "{ a", "[a", "*a", "&a", "!a", "%a", "@a", "`a", "a: b", "a #b", "- a", "a\nb", " a ", "",
        "null", "~", "'", "\"", "\\", "\u{7}", "\u{202E}abc", "\u{FEFF}", "🎉 é", "$x", "$$", "${API}", "a$", "...", "---", "=", "<<",
        "12:30", ".5",
        ".inf", "1_000", "a  b", "a:", "?a", "? a", "-", "|", ">", "yes", "\u{2028}", "\u{85}", "</svg>", "\u{1F600}", "e\u{301}$\u{301}",
    ]) func `a text stays the text that it is`(_ text: String) throws {
        let quoted = YAMLScalar.written(EffectiveValue.Scalar(text: text.escapingDollars, mustBePlain: false))
        let file = "sources: { o: { type: http, url: http://h } }\npipelines:\n  p:\n    description: \(quoted)\n    tiers: [o]\n"

        let first = Reading.report(file)
        let second = Reading.report(Self.printed(file))

        #expect(first.summary == [] && second.summary == [])
        #expect(first.plan.pipelines.first?.description.map { Array($0.utf8) } == Array(text.utf8))
        #expect(second.plan.pipelines.first?.description.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test func `words that other readers take for something else have quotes`() {
        for word in ["no", "Yes", "on", "null", "1e3", "0x1F", "12", "-1", ".5", "{a}", "2001-01-01", "12e4"] {
            #expect(YAMLScalar.written(.init(text: word, mustBePlain: false)).hasPrefix("\""), "\(word)")
        }
        for word in ["memory", "30s", "1h30m", "64MiB", ".cache/{key}.json", "http://h:1/{user}?a=b", "everybody we know"] {
            #expect(YAMLScalar.written(.init(text: word, mustBePlain: false)) == word)
        }
    }

    @Test func `a value with braces stays a reference, because a template would take them for parameters`() {
        let text = "sources: { d: { type: file, path: 'x/${BRACES}/{key}', read_only: true } }\npipelines: { p: { tiers: [d] } }\n"

        let printed = Self.printed(text)

        #expect(printed.contains("x/${BRACES}/{key}") && printed.contains("kept as it is written"))
        #expect(Reading.report(printed).summary == [])
    }

    @Test func `a value that a URL encodes is encoded once`() {
        let text = "sources: { o: { type: http, url: 'http://h/${COLON}/${BRACES}' } }\npipelines: { p: { tiers: [o] } }\n"

        #expect(
            Self.lines("url", of: text).first?.hasPrefix("url: http://h/a%3A%20b/%7Buser%7D ") == true, "\(Self.lines("url", of: text))")
    }

    @Test func `a key too long to stand before its colon stands alone`() {
        let name = String(repeating: "k", count: 2_000)
        let text =
            "sources:\n  ? \(name)\n  : { type: http, url: http://h }\npipelines:\n  p:\n    tiers:\n      - ? source\n        : \(name)\n"

        let printed = Self.printed(text)

        #expect(Reading.report(text).summary == [])
        #expect(Reading.report(printed).summary == [])
        #expect(Reading.report(printed).plan.sources.first?.name == name)
    }

    @Test func `a file name cannot leave its remark`() {
        let file = Reading.file(Self.minimal, name: "a\nsources: {}\u{2028}b.yaml")

        #expect(Self.printed(file).split(separator: "\n").allSatisfy { !$0.hasPrefix("sources: {}") })
    }
}

/// What is printed is read as the same configuration again.
@Suite struct ConfigRoundTripTests {
    /// Everything of a plan that can be compared.
    private static func summary(_ plan: Plan) -> [String] {
        let sources = plan.sources.map { source in
            "\(source.name) \(source.type ?? "") \(source.capabilities?.names ?? []) \(source.parameterUses.map(\.parameter)) \(source.making != nil)"
        }
        let pipelines = plan.pipelines.map { pipeline in
            var policy = pipeline.policy
            policy.writeBack = .auto
            let tiers = pipeline.tiers.map { "\($0.source.name) \(effective($0)) → \($0.writesBackTo)" }
            let parameters = pipeline.parameters.map { "\($0.name) \($0.defaultValue ?? "nil")" }
            return "\(pipeline.name) \(pipeline.description ?? "nil") \(parameters) \(policy) \(tiers)"
        }
        return sources + pipelines
    }

    /// What is left out and what is written as it holds then are the same.
    private static func effective(_ tier: TierPlan) -> TierPolicy {
        var policy = tier.policy
        policy.lastResort = tier.isLastResort
        policy.timeout = policy.timeout ?? TierPolicy.defaultTimeout
        policy.maxDelay = policy.maxDelay ?? policy.debounce.map(TierPolicy.defaultMaxDelay)
        return policy
    }

    private static func withoutRemarks(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            line.range(of: " # ", options: .backwards).map { String(line[..<$0.lowerBound]) } ?? String(line)
        }.map { $0.replacing(#/ +$/#, with: "") }
    }

    private static func check(_ file: ConfigFile) {
        let report = file.report(plugins: Reading.plugins, environment: Reading.environment)
        guard !report.diagnostics.hasErrors else { return }
        let printed = EffectiveConfigTests.printed(file)

        let again = ConfigFile(text: Array(printed.utf8), name: file.name, folder: file.folder)
        let second = again.report(plugins: Reading.plugins, environment: Reading.environment)

        #expect(!second.diagnostics.hasErrors, "\(second.summary)\n\(printed)")
        #expect(summary(second.plan) == summary(report.plan))
        #expect(withoutRemarks(EffectiveConfigTests.printed(again)) == withoutRemarks(printed))
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    @Test(arguments: GoldenTests.names) func `a golden file comes to the same plan`(_ name: String) throws {
        let bytes = try Data(contentsOf: GoldenTests.folder.appending(path: name + ".yaml"))

        Self.check(ConfigFile(text: Array(bytes), name: "conf/\(name).yaml", folder: "conf"))
    }

    @Test(arguments: ["examples/friends/pipeline.yaml", "examples/friends/origin.yaml"])
    func `an example comes to the same plan`(_ path: String) throws {
        let bytes = try Data(contentsOf: Self.root.appending(path: path))

        Self.check(ConfigFile(text: Array(bytes), name: path, folder: "examples/friends"))
    }

    @Test(arguments: [
        """
        defaults: &tier { source: m, ttl: 1m, jitter: 10% }
        """,
        """
        sources:
          m: &m { type: memory, max_entries: 0x10 }
          n: { <<: *m, max_bytes: "1MiB" }
          d: { type: file, path: "x/${BRACES}/{pipeline}/{key}", durable: on }
          o:
            type: http
            url: ${API}/{user}?q=$$1
            method: POST
            headers: { Authorization: "Bearer ${TOKEN}" }
            body: '{ "user": "{user}", "price": "$$5" }'
            accept_status: [200, 2xx, 404]
            follow_redirects: false
        pipelines:
          p: &p
            description: "no: 'x' # y ${COLON}"
            parameters: &q { user: { default: "yes" }, page: }
            format: text
            tiers: &t
              - { source: m, ttl: none, retry: { attempts: 2 } }
              - &one { source: d, ttl: 1h30m, debounce: 1s, circuit_breaker: {} }
              - o
            write_back: { o: [m, d], d: [m] }
            refresh_ahead: 80%
            deadline: "${UNSET:-5s}"
          r: { <<: *p, description: other, tiers: [n, *one, o], write_back: none }
          "a: b # c": { tiers: *t, parameters: *q }
        """,
    ]) func `aliases, merges, variables and odd values come to the same plan`(_ text: String) {
        Self.check(Reading.file(text))
    }

    @Test(arguments: 0..<40) func `random texts come to the same plan`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let scalars = Array("ab1 .:#-{}[]$\"'\\\n\t&*!|>%@`,?=~\u{7}\u{2028}é漢🎉".unicodeScalars)
        func text() -> String {
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 1...12, using: &random)).compactMap { _ in scalars.randomElement(using: &random) }))
        }
        func quoted(_ text: String) -> String { JSONText.string(text.escapingDollars).text }
        let key = text().replacing("$", with: "")
        let file = """
            sources: { \(quoted(key)): { type: memory } }
            pipelines:
              p: { description: \(quoted(text())), parameters: { user: { default: \(quoted(text())) } }, tiers: [\(quoted(key))] }
            """

        let report = Reading.report(file)
        #expect(report.diagnostics.allSatisfy { $0.severity == .warning }, "\(report.summary)\n\(file)")
        Self.check(Reading.file(file))
    }
}
