import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesInline
import Testing

@Suite struct InlineSourceTests {
    let time = ManualClock()

    private func report(_ fields: String, variables: [String: String] = [:]) -> ConfigReport {
        let text = """
            sources:
              fixed:
                type: inline
            \(fields.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n"))
            pipelines:
              friends: { tiers: [fixed], format: text }
            """
        return ConfigFile(text: Array(text.utf8), name: "pipeline.yaml")
            .report(plugins: [.inline], environment: ConfigEnvironment(variables))
    }

    private func entry(_ fields: String, variables: [String: String] = [:]) async throws -> Entry {
        let pipelines = try Pipelines(report(fields, variables: variables), clock: time.clock)
        let found = try await pipelines.pipeline(named: "friends").fetch().entry
        await pipelines.shutDown()
        return try #require(found)
    }

    private func text(_ fields: String, variables: [String: String] = [:]) async throws -> String {
        let payload = try await entry(fields, variables: variables).payload
        return String(decoding: try #require(payload), as: UTF8.self)
    }

    private func problems(_ fields: String, variables: [String: String] = [:]) -> [String] {
        report(fields, variables: variables).diagnostics.map { "\($0.code.rawValue) \($0.message)" }
    }

    @Test(arguments: [
        ("null", "null"), ("", "null"), ("~", "null"), ("true", "true"), ("False", "false"), ("yes", "\"yes\""), ("0", "0"),
        ("-0", "-0"), ("1.50", "1.50"), ("1e999", "1e999"), ("12345678901234567890123", "12345678901234567890123"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"), ("+5", "5"), ("0123", "123"),
        ("0x1F", "31"), ("0o17", "15"), (".5", "0.5"), ("-.5E+3", "-0.5E+3"), ("5.", "5"), ("1.e5", "1e5"), ("1e", "\"1e\""),
        (".", "\".\""), ("1_000", "\"1_000\""), ("'5'", "\"5\""), ("\"null\"", "\"null\""), ("a \"b\" \\", "\"a \\\"b\\\" \\\\\""),
        ("[]", "[]"), ("{}", "{}"), ("[1, [true, ~], {a: b}]", "[1,[true,null],{\"a\":\"b\"}]"),
    ])
    func `a value is given as JSON by the core schema`(written: String, json: String) async throws {
        #expect(try await text("value: \(written)") == json)
    }

    @Test func `mappings keep the order of the file and keys that are no strings become their text`() async throws {
        #expect(try await text("value:\n  z: 1\n  a: 2\n  5: five\n  true: yes") == #"{"z":1,"a":2,"5":"five","true":"yes"}"#)
    }

    @Test func `aliases and merges are expanded`() async throws {
        let written = "value:\n  base: &base { a: 1, b: 2 }\n  more: { <<: *base, b: 3 }\n  again: *base"

        #expect(try await text(written) == #"{"base":{"a":1,"b":2},"more":{"a":1,"b":3},"again":{"a":1,"b":2}}"#)
    }

    @Test func `a variable is replaced, and what it stands in is text whatever its value looks like`() async throws {
        let variables = ["N": "5", "QUOTE": "\", \"x\": \"", "YAML": "{ a: *b }"]

        #expect(try await text("value: [\"${N}\", 1$$5]", variables: variables) == #"["5","1$5"]"#)
        #expect(try await text("value: { a: '${QUOTE}', b: '${YAML}' }", variables: variables) == #"{"a":"\", \"x\": \"","b":"{ a: *b }"}"#)
    }

    @Test func `text is the payload as it is written, braces too`() async throws {
        #expect(try await text("text: \"a {user} ${N}\\n\"", variables: ["N": "{b}"]) == "a {user} {b}\n")
        #expect(try await text("text: ''") == "")
        #expect(try await text("text: 0x1F") == "0x1F")
    }

    @Test func `an entry was created now, has no limit and says what it holds`() async throws {
        #expect(try await entry("value: 1") == Entry([49], created: time.now, contentType: "application/json", source: "fixed"))
        #expect(
            try await entry("text: 1")
                == Entry([49], created: time.now, contentType: "text/plain; charset=utf-8", source: "fixed"))
    }

    @Test func `neither value nor text is a problem, and both are`() {
        #expect(problems("") == ["P102 source `fixed` needs `value` or `text`"])
        #expect(problems("value: 1\ntext: a") == ["P107 `text` is not allowed beside `value`"])
        #expect(problems("text: a\nvalue:") == ["P107 `value` is not allowed beside `text`"])
    }

    @Test func `a misspelt field is reported once`() {
        #expect(problems("valeu: 1") == ["P101 unknown field `valeu` in source `fixed`"])
    }

    @Test(arguments: [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "0xFFFFFFFFFFFFFFFFFF"])
    func `a number that JSON does not have is a problem`(written: String) {
        #expect(
            problems("value: { a: [\(written), 1] }") == ["P107 `\(written)` is not allowed for `value`: JSON has no such number"])
        #expect(problems("value: { a: '\(written)' }").isEmpty)
    }

    @Test func `values that aliases make too long are a problem, once, and are never written out`() {
        let long = String(repeating: "x", count: 100_000)
        let many = "[" + String(repeating: "*a, ", count: 200) + "]"
        let text = """
            sources:
              one: { type: inline, value: &v [&a \(long), \(many)] }
              two: { type: inline, value: *v }
            pipelines: { friends: { tiers: [one] }, others: { tiers: [two] } }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.inline], environment: ConfigEnvironment([:]))

        #expect(
            report.diagnostics.map { "\($0.code.rawValue) \($0.message)" }
                == ["P003 more than 16MiB of text, aliases counted with all they stand for"])
    }

    @Test func `every unset variable in a value is reported`() {
        #expect(
            problems("value: { a: '${A}', b: ['${B}'] }")
                == ["P401 environment variable `A` is not set", "P401 environment variable `B` is not set"])
    }

    @Test func `a list as text is a problem`() {
        #expect(problems("text: [a]") == ["P103 expected text for `text`, found a list"])
    }

    @Test func `a tier below is never asked`() {
        let text = """
            sources: { first: { type: inline, value: 1 }, second: { type: inline, value: 2 } }
            pipelines: { friends: { tiers: [first, second] } }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml")
            .report(plugins: [.inline], environment: ConfigEnvironment([:]))

        #expect(report.diagnostics.map(\.code.rawValue) == ["P301"])
    }

    @Test func `it keeps the rules of origins, as far as one that always answers can`() async {
        let key = Key(pipeline: "friends")
        let violations = await SourceConformance.ofOrigin(
            make: { InlineSource("[1]", clock: time.clock) }, existing: key, expected: Array("[1]".utf8),
            missing: Key(pipeline: "friends", parameters: ["user": "none"]))

        #expect(violations.map { "\($0)" } == ["missing: the missing key gave a value"])
    }

    @Test func `a last resort answers when the tier above fails`() async throws {
        let text = """
            sources: { api: { type: stub }, nobody: { type: inline, value: [] } }
            pipelines: { friends: { tiers: [api, nobody] } }
            """
        let failing = SourcePlugin("stub", summary: "Fails.", fields: Field("unused", default: 0, "Nothing.")) { _, _ in
            StubOrigin(clock: time.clock, answering: .error(SourceError("out of order")))
        }
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml")
            .report(plugins: [.inline, failing], environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report, clock: time.clock)

        let outcome = try await pipelines.pipeline(named: "friends").fetch()
        await pipelines.shutDown()

        #expect(report.diagnostics.isEmpty)
        #expect(try outcome.entry?.payload == Array("[]".utf8))
        #expect(outcome.attempts.map { "\($0.source) \($0.outcome)" } == ["api error", "nobody hit"])
    }

    @Test func `every key has the value, and a check finds it reachable`() async throws {
        let source = InlineSource("\u{1}", contentType: "x/y", clock: time.clock)

        for user in ["1", "../2", ""] {
            #expect(try await source.read(Key(pipeline: "p", parameters: ["user": user]))?.payload == [1])
        }
        #expect(try await source.check() == .reachable)
    }
}
