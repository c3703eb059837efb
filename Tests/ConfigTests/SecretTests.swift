import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import Pipeline
@testable import PipelineConfig
@testable import PipelineReports

/// What is secret shows in no message, help, note or source line.
@Suite struct SecretTests {
    private static func printed(_ sources: String, tiers: String = "o", level: ValidationLevel = .env) -> String {
        Reading.printed("sources:\n\(sources)\npipelines: { p: { tiers: [\(tiers)] } }\n")
    }

    @Test(arguments: [
        #"  o: { type: http, url: "http://h/", headers: { Authorization: "Bearer hunter2" }, colour: blue }"#,
        #"  o: { type: http, url: "http://h/", headers: { Authorization: "Bearer hunter2 ${NO}" } }"#,
        #"  o: { type: http, url: "http://h/", headers: { Authorization: "Bearer hunter2 ${" } }"#,
        #"  o: { type: http, url: "http://h/", headers: { "Bad Name": hunter2 } }"#,
        #"  o: { type: http, url: "http://h/", auth: Bearer hunter2 }"#, #"  o: { type: http, auth: "Bearer hunter2" ]"#,
        #"  o: { type: http, url: "http://h/", headers: { Authorization: [hunter2] } }"#,
        #"  o: { type: http, url: "http://me:hunter2@h/{user}" }"#, #"  o: { type: http, url: "ftp://me:hunter2@h/" }"#,
        #"  o: { type: http, url: "http://me:hunter2@h:99999/" }"#, #"  o: { type: http, url: "http://me:hunter2@h/a b" }"#,
        #"  o: { type: http, url: "http://me:hunter2@h/${NO}" }"#, #"  o: { type: http, url: "http://me:hunter2@" }"#,
        #"  o: { type: http, url: "http://me:x?hunter2@h/ " }"#,
        #"  o: { type: http, url: "http://{user}:hunter2@h/" }"#, #"  o: { type: http, url: "http://me:hunter2{x@h/" }"#,
        "  o:\n    type: http\n    url: http://h/{user}\n    headers:\n      A: |\n        hunter2\n      B: &b hunter2\n    colour: *b",
        "  o: { type: http, url: \"http://h/\", headers: { A: &a hunter2 }, timeout: *a }",
        "  n: { type: http, url: \"http://h/\", timeout: &a hunter2 }\n  o: { type: http, url: \"http://h/\", headers: { A: *a } }",
    ]) func `a secret of the file is masked`(_ sources: String) {
        let printed = Self.printed(sources, tiers: sources.contains("  n:") ? "n, o" : "o")

        #expect(printed.contains("error["))
        #expect(!printed.contains("hunter2"), "\(printed)")
    }

    @Test(arguments: ["TOKEN", "LONG_TOKEN"]) func `a value that is secret in one place is masked in all`(_ name: String) {
        let printed = Self.printed(
            """
              n: { type: memory, max_entries: "${\(name)}", max_bytes: "${\(name)}", colour: "${\(name)}" }
              o: { type: http, url: "http://h/", timeout: "${\(name)}", headers: { Authorization: "${\(name)}" } }
            """, tiers: "n, o, '${\(name)}'")

        #expect(printed.contains("error[P105]"))
        #expect(!printed.contains(String(Reading.variables[name]?.prefix(12) ?? "")), "\(printed)")
    }

    @Test func `the value of a variable is not quoted, and a part of a secret in braces neither`() {
        let printed = Self.printed(
            """
              o: { type: http, url: "http://h/", timeout: "${TOKEN}", headers: { A: "{hunter2}" } }
              n: { type: memory, max_entries: "${PASSWORD}", max_bytes: "${LONG_TOKEN}" }
            """, tiers: "o, n")

        #expect(printed.contains("malformed value `${TOKEN}` for `timeout`"))
        #expect(printed.contains("what stands in braces here is not a parameter"))
        for trace in ["s3cr3t", "hunter2", "p@ss", "k3y-"] { #expect(!printed.contains(trace)) }
    }

    @Test(
        arguments: [
            ("Bearer 0a1b2c3d", "0a1b2c3d"), ("basic dXNlcjpwYXNz", "dXNlcjpwYXNz"), ("Bearer  token7", "token7"),
            ("Basic authentication", nil),
            ("Basic Authentication", nil), ("Bearer of news 7", nil), ("Token 0a1b2c3d", nil), ("Bearer", nil), ("", nil),
        ] as [(String, String?)])
    func `a code behind the name of a scheme is a credential, a word is not`(text: String, credential: String?) {
        #expect(WrittenCredential.behindScheme(text) == credential)
    }

    @Test func `the carets stay in place under a mask`() {
        let printed = Self.printed(#"  o: { type: http, url: "http://h/", headers: { A: "hunter2" }, colour: blue }"#)

        let lines = printed.split(separator: "\n")
        #expect(lines[1] == #"  2 |   o: { type: http, url: "http://h/", headers: { A: ********* }, colour: blue }"#)
        #expect(lines.contains { $0.hasSuffix("^^^^^^") })
    }

    @Test func `secrets are known to those who print`() {
        let report = Reading.report(
            """
            sources:
              o: { type: http, url: "redis://me:${PASSWORD}@h/", headers: { A: "Bearer ${TOKEN}", B: "${file:/abs/token.txt}" } }
              n: { type: http, url: "http://h/", headers: { A: "literal-secret" } }
            pipelines: { p: { tiers: [o, n] } }
            """)

        #expect(report.secrets.isSuperset(of: ["s3cr3t-token-value", "abs-t0ken", "literal-secret", "p@ss/w?rd#1", "p%40ss%2Fw%3Frd%231"]))
    }

    @Test func `of a URL that a variable has, user and password are secret, and the host is not`() {
        let variables = ["API": "http://someone:pa55word@api.example.org:8080", "HOST": "db.example.org", "PW": "se:cret"]
        let environment = ConfigEnvironment(variable: { variables[$0] })
        let report = Reading.file(
            """
            sources:
              o: { type: http, url: "${API}/users" }
              n: { type: http, url: "http://reader:${PW}@${HOST}/users" }
            pipelines: { p: { tiers: [o, n] } }
            """
        ).report(plugins: Reading.plugins, environment: environment)

        #expect(report.secrets == ["someone", "pa55word", "reader", "se:cret", "se%3Acret"])
    }

    /// A token of characters that a URL encodes, that YAML doubles, and that are a parameter in a template.
    private static let named = ConfigEnvironment(
        variable: { ["BOT_TOKEN": "t0k$n/{b}", "USE_TOKEN": "true", "SHORT_PASS": "abc", "HOME_DIR": "visible-too"][$0] },
        file: { _ in .success("f1le-s3cret\n") })

    @Test func `what the name of a variable or a file says is a credential is secret wherever it stands`() throws {
        let file = Reading.file(
            """
            sources:
              m: { type: memory, max_entries: "${A:-${BOT_TOKEN}}" }
              d: { type: file, path: "${HOME_DIR}/${BOT_TOKEN}/{key}.json" }
              o: { type: http, url: "http://h/bot${BOT_TOKEN}/${file:secrets/hook}", query: { t: "${BOT_TOKEN}", u: "${USE_TOKEN}" } }
            pipelines:
              p: { tiers: [m, d, o], description: "of ${BOT_TOKEN} and ${OTHER_TOKEN:-visible}, ${SHORT_PASS}" }
            """)
        let report = file.report(plugins: Reading.plugins, environment: Self.named)
        let sound = Reading.file(String(decoding: file.text, as: UTF8.self).replacing("\"${A:-${BOT_TOKEN}}\"", with: "3"))
        let soundReport = sound.report(plugins: Reading.plugins, environment: Self.named)

        // What stands in for a credential is one itself.
        #expect(report.secrets == ["t0k$n/{b}", "t0k%24n%2F%7Bb%7D", "f1le-s3cret", "visible"])
        #expect(report.codes == ["P103"])
        #expect(!report.diagnostics.contains { "\($0)".contains("t0k") })
        #expect(!soundReport.diagnostics.hasErrors)
        let config = EffectiveConfig(soundReport, folder: "", plugins: Reading.plugins, environment: Self.named)
        let printed = ConfigYAML(file: "pipeline.yaml").text(config)
        #expect(printed.contains("${HOME_DIR}/${BOT_TOKEN}/{key}.json"))
        #expect(printed.contains("of *** and ***, abc"))
        #expect(!printed.contains("t0k") && !printed.contains("f1le"), "\(printed)")
    }

    @Test(arguments: [
        "TOKEN", "GITHUB_TOKEN", "TOKEN_PROD", "PGPASSWORD", "DB_PASS", "PASS", "MYSQL_PWD", "AWS_SECRET_ACCESS_KEY", "API_KEY",
        "STRIPE_KEY",
        "KEY", "apiKey", "accessToken", "client_secret", "GOOGLE_CREDENTIALS", "AUTHORIZATION", "X_AUTH_TOKEN", "API_KEY_2_SECRET",
        "SESSION_COOKIE",
        "file:secrets/a.json", "file:/run/secrets/db", "file:conf/token.txt",
    ]) func `the name of a credential`(name: String) {
        #expect(Credential.isOrigin(name))
    }

    @Test(arguments: [
        "PWD", "OLDPWD", "HOME", "TOKEN_URL", "PASSWORD_FILE", "SECRET_TTL", "SORT_KEY", "IDEMPOTENCY_KEY", "MAX_TOKENS", "KEYCLOAK_HOST",
        "MONKEY", "TOKENIZER", "PASS_THROUGH", "KEYS", "", "_", "file:conf/friends.json", "file:", String(repeating: "TOKEN", count: 100),
    ]) func `the name of something else`(name: String) {
        #expect(!Credential.isOrigin(name))
    }

    @Test func `a reference in a secret stays readable, the rest of it does not`() {
        let printed = Reading.printed(
            """
            sources:
              o: { type: http, url: "http://joe:${NO_PASSWORD}@h/", headers: { Authorization: "Bearer ${NO_TOKEN:-literal-t0ken}${NO_TOKEN}" } }
            pipelines: { p: { tiers: [o] } }

            """)

        #expect(printed.contains("${NO_PASSWORD}@h") && printed.contains("${NO_TOKEN}\""))
        #expect(!printed.contains("joe:") && !printed.contains("literal-t0ken") && !printed.contains("Bearer"))
    }
}
