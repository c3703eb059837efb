import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import Pipeline
@testable import PipelineConfig
@testable import PipelineReports

/// Credentials that are written in the file besides fields of secrets.
@Suite struct CredentialTests {
    private static func text(_ fields: String) -> String {
        "sources:\n  o: { type: http, \(fields) }\npipelines: { p: { parameters: [key], tiers: [o] } }\n".replacing(
            "parameters: [key], ", with: "")
    }

    @Test(arguments: [
        ("url: \"http://h/?access_token=abc123\"", "the parameter `access_token`"),
        ("url: \"http://h/a?x=1&api_key=abc123#f\"", "the parameter `api_key`"),
        ("url: \"http://h/\", query: { api_key: abc123 }", "the parameter `api_key`"),
        ("url: \"http://h/\", query: { client_secret: abc123 }", "the parameter `client_secret`"),
        ("url: \"http://h/?key=Ab1Zx9Qw3Er5Ty7Ui0abc123\"", "the parameter `key`"),
        ("url: \"http://h/\", query: { sig: 0f3ad9927c1e44abc123 }", "the parameter `sig`"),
        ("url: \"http://h/\", headers: { Authorization: \"Bearer ${T:-abc123}\" }", "the default of `T`"),
        ("url: \"http://h/a/${API_TOKEN:-abc123}/b\"", "the default of `API_TOKEN`"),
        ("url: \"http://${API_TOKEN:-abc123}.h/\"", "the default of `API_TOKEN`"),
        ("url: \"http://h/\", headers: { Authorization: \"Bearer ${API_TOKEN:-abc123}\" }", "the default of `API_TOKEN`"),
        ("url: \"http://me:${T:-abc123}@h/\"", "the default of `T`"), ("url: \"http://${T:-abc123}@h/\"", "the default of `T`"),
    ]) func `a credential in the file is reported and masked everywhere`(fields: String, what: String) {
        let file = Reading.file(Self.text(fields))
        let report = file.report(plugins: Reading.plugins, environment: Reading.environment)
        let config = EffectiveConfig(report, folder: "", plugins: Reading.plugins, environment: Reading.environment)
        let printed = ConfigYAML(file: "pipeline.yaml").text(config)

        #expect(report.summary == ["P309 a credential is written in the file: \(what)"])
        #expect(!printed.contains("abc123"), "\(printed)")
        #expect(!Reading.printed(file).contains("abc123"), "\(Reading.printed(file))")
    }

    @Test(arguments: [
        "url: \"http://h/${KEY_PREFIX:-abc123}/${TOKEN_URL:-abc123}/${AUTH_TTL:-abc123}\"",
        "url: \"http://h/?key=users&sort_key=name&page_token=abc123\"", "url: \"http://h/?access_token=${API_SECRET:-}\"",
        "url: \"http://h/\", query: { key: users, page_token: abc123, token_type: bearer, max_tokens: 1000 }",
        "url: \"http://h/\", query: { api_key: \"${TOKEN}\", password: \"${file:token.txt}\" }",
        "url: \"http://h/\", query: { token: \"\" }",
        "url: \"http://h/\", headers: { Authorization: \"Bearer ${T:-}\", Accept: \"${A:-application/json}\" }",
        "url: \"http://h/?signature=short&sig=v1&key=/a/b/c/d/e/f/g/h/1\"",
    ]) func `no false alarm`(fields: String) {
        #expect(Reading.report(Self.text(fields)).codes == [])
    }
}
