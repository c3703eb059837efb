import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// A mask hides what was quoted from the file, and leaves the program's own words and the names in plain view as they are.
@Suite struct MaskedWordTests {
    private static func report(_ fields: String, pipeline: String = "tiers: [o]") -> ConfigReport {
        Reading.report("sources:\n  o: { type: http, \(fields) }\npipelines: { p: { \(pipeline) } }\n")
    }

    private static func words(_ report: ConfigReport) -> String {
        report.diagnostics.map { "\($0.message) | \($0.help ?? "") | \($0.related.map(\.message))" }.joined(separator: "\n")
    }

    @Test(arguments: ["password", "user", "file", "credential", "written", "environment", "variable", "place", "PASSWORD"])
    func `a secret like a word of the message leaves the message as it is`(secret: String) {
        let report = Self.report("url: \"http://me:\(secret)@h/\"")

        #expect(
            Self.words(report)
                == "a credential is written in the file: the password of the URL | set an environment variable and write `${PASSWORD}` in its place | []"
        )
    }

    @Test func `the name of a parameter in a secret field is no secret`() {
        let report = Self.report(
            "url: \"http://h/{user}\", headers: { X-User: \"{user}\", X-Kind: \"friend of {user}\" }",
            pipeline: "parameters: [user], tiers: [o]")

        #expect(!report.secrets.contains { $0.contains("{") } && report.secrets.contains("friend of "), "\(report.secrets)")
    }

    @Test func `a secret like a word of the advice for an unset variable leaves the advice as it is`() {
        let report = Self.report("url: \"http://h/\", headers: { A: default, B: \"${NO}\" }")

        #expect(Self.words(report).contains("| set it, or give a default: `${NO:-value}` |"), "\(Self.words(report))")
    }

    @Test(arguments: [
        ("headers: { Accept: json }", "format: jsn", "did you mean `json`?"),
        ("headers: { Accept: tiers }", "teirs: [o]", "did you mean `tiers`?"),
        ("headers: { Accept: deadline }", "deadlin: 1s", "did you mean `deadline`?"),
    ]) func `a secret like a known name is still suggested and fixed`(fields: String, policy: String, help: String) throws {
        let pipeline = policy.hasPrefix("teirs") ? policy : "tiers: [o], \(policy)"
        let text = "sources:\n  o: { type: http, url: \"http://h/\", \(fields) }\npipelines: { p: { \(pipeline) } }\n"
        let diagnostic = try #require(Reading.report(text).diagnostics.first)

        #expect(diagnostic.help == help)
        #expect(diagnostic.fix != nil)
        #expect(FixedFile(Reading.file(text), plugins: Reading.plugins, environment: Reading.environment).report.diagnostics.isEmpty)
    }

    @Test func `the names of sources, pipelines and parameters stay, and what is quoted besides does not`() {
        let report = Reading.report(
            """
            sources:
              friends-api: { type: http, url: "http://h/", headers: { A: friends-api, B: visible, C: hunter, D: person } }
              late: { type: http, url: "http://h/{user}", timeout: hunter, max_size: visible }
            pipelines:
              visible: { parameters: [person], tiers: [friends-ap, late] }
            """)
        let words = Self.words(report)

        #expect(words.contains("did you mean `friends-api`?"))
        #expect(words.contains("pipeline `visible`"), "\(words)")
        #expect(words.contains("malformed value `***` for `timeout`"))
        #expect(!words.contains("hunter"))
    }

    @Test(arguments: [
        // Digits and signs make no word of the program; a backtick may end a quote; an advice stands without quotes.
        ("headers: { A: hunt3r }", "colour: \"hunt3r\"", "hunt3r"), ("headers: { A: hunter, B: \"`\" }", "\"a` hunter `b\": 1", "hunter"),
        ("headers: { A: hunter }", "timeout: \"${NO:?ask hunter}\"", "hunter"),
        ("headers: { A: hunter }", "timeout: \"json hunter\"", "hunter"), ("headers: { A: hunter }", "hunterjson: 1", "hunter"),
        ("headers: { A: \"hun`ter\" }", "\"hun`ter\": 1", "ter`"),
        ("headers: { A: hunter }", "\"json:hunter\": 1", "hunter"), ("headers: { A: hunter }", "\"${NO:-hunter}\": 1", "hunter"),
    ]) func `a secret that was quoted never shows`(fields: String, other: String, secret: String) {
        let report = Self.report("url: \"http://h/\", \(fields), \(other)")

        #expect(report.diagnostics.hasErrors)
        #expect(!Self.words(report).contains(secret), "\(Self.words(report))")
    }

    @Test func `what an outcome says names its sources and pipelines whatever the secrets are`() {
        let report = Self.report("url: \"http://h/\", headers: { A: http, B: hunter }")
        let redactor = Redactor(report.secrets.union(["o", "p"]), sparing: ["o", "p"])

        #expect(report.redactor.redacted("`http` of hunter, http://http:hunter@h") == "`http` of ***, ***://***:***@h")
        #expect(redactor.redacted("`o` failed for `p`: o; top") == "`o` failed f***r `p`: o; t******")
    }
}
