import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import PipelineJSON

/// What is masked of a text, wherever the secret in it comes from.
@Suite struct RedactorTests {
    @Test(
        arguments: [
            // Secrets that overlap, or lie in one another, leave nothing of either.
            (["abcd", "cdefgh"], "xabcdefghx", "x***x"), (["abcdef", "cd"], "abcdef cd", "*** ***"), (["abcd"], "abcdabcd", "******"),
            // Bytes, not what Unicode calls the same.
            (["caf\u{E9}-noir"], "caf\u{E9}-noir cafe\u{301}-noir", "*** cafe\u{301}-noir"),
            // As a host, in a URL, with control characters made visible, on one line.
            (["AcmeTenant"], "cannot connect to acmetenant.invalid", "cannot connect to ***.invalid"),
            (["p@ss/w?rd"], "at p%40ss%2Fw%3Frd and p@ss/w?rd", "at *** and ***"), (["p%40ssword"], "user p@ssword", "user ***"),
            (["ab\tcdef"], "ab cdef, ab\u{FFFD}cdef, ab\\u{9}cdef", "***, ***, ***"),
            // In JSON, in HTML.
            (["quo\"ted"], "{\"no\": \"quo\\\"ted\"} quo&quot;ted", "{\"no\": \"***\"} ***"),
            (["a<b>c/d"], "a&lt;b&gt;c/d a<b>c\\/d", "*** ***"),
            // Each line of several.
            (["first-line\nsecond-line\r\n"], "second-line of first-line", "*** of ***"),
            (["one line\nof two"], "`one line of two`", "`***`"),
            // A URL, and what of it stands alone.
            (["https://hooks.example.org/T0/B0?x=1"], "GET /T0/B0?x=1 from hooks.example.org:443", "GET *** from ***:443"),
            // What a cut leaves.
            (["s3cr3t-token"], "path/s3cr3t…oken/rest", "path/***…***/rest"), (["several words of one"], "… words of one", "… ***"),
            (["s3cr3t-token"], "`s3cr3t-tok` and s3cr3t-to", "`***` and ***"),
            (["s3cr3t-token"], "`s3c` stays, and s3…", "`s3c` stays, and s3…"),
        ] as [([String], String, String)]) func `a secret is masked in each form`(secrets: [String], text: String, expected: String)
    {
        #expect(Redactor(secrets).redacted(text) == expected)
    }

    @Test(arguments: ["user:s3cr3t-token", "a s3cr3t-token", "ab s3cr3t-token!", "s3cr3t-token", "{\"t\":\"s3cr3t-token\"}"])
    func `nothing of a secret is left in Base64, wherever it begins`(text: String) {
        let encoded = Base64.encoded(Array(text.utf8))

        let masked = Redactor(["s3cr3t-token"]).redacted(
            "Basic \(encoded) of \(encoded.replacing("+", with: "-").replacing("/", with: "_"))")

        let rest = masked.replacing("Basic ", with: "").split(separator: " of ").map { $0.replacing("***", with: "") }
        #expect(rest.count == 2 && rest.allSatisfy { $0.utf8.count <= encoded.utf8.count - 14 }, "\(masked)")
    }

    @Test func `very many secrets that begin alike are each found`() {
        let secrets = (0..<20_000).map { "common-beginning-\($0)-" }
        let redactor = Redactor(secrets)

        #expect(redactor.redacted("x common-beginning-777- y common-beginning-19999- z") == "x *** y *** z")
        #expect(redactor.redacted("common-beginning- of all") == "common-beginning- of all")
    }

    @Test func `a name stays readable, and a name in a secret does not`() {
        let redactor = Redactor(["friends-api-token", "api"], sparing: ["api", "friends-api"])

        #expect(redactor.redacted("`friends-api` and api: `api`, api/x") == "`friends-api` and api: `api`, ***/x")
        #expect(redactor.redacted("friends-api-token") == "***")
    }

    @Test(
        arguments: [
            ("token: hunter2 secret\nurl: x", ["hunter2 secret"]), ("a: { password: \"hunter2\", b: c", ["\"hunter2\", b: c"]),
            ("  token: |\n    hunter2\n    more\n  url: x", ["|", "hunter2", "more"]), ("  token:\n  - hunter2\n  url: x", ["- hunter2"]),
            ("  token: \"hunter2\nmore\nend\" x\nurl: y", ["\"hunter2", "more", "end\" x"]), ("  token:hunter2", ["hunter2"]),
            ("headers:\n  X-Api-Key: hunter2\n  Cookie: ${NAME}\nurl: x", ["hunter2"]),
            ("url: http://me:hunter2@h/a@b", ["me:hunter2@h/a"]),
            ("url: http://h/?a=b&api_key=hunter2&c=d", ["hunter2"]), ("token: ${TOKEN}", []), ("token: \"${TOKEN}\" }", []),
            ("${API_TOKEN:-hunter2}", ["-hunter2}"]), ("page_token: x\ntoken_ttl: 3s\nkey: users\nsort_key: x", []),
            ("token hunter2\n  a: { b: c, password   hunter2 }, token_ttl 3s\ntoken = hunter2", ["hunter2", "hunter2 ", "hunter2"]),
        ] as [(String, [String])]) func `a credential in lines that are no YAML is found by its name`(text: String, expected: [String])
    {
        let lines = text.split(separator: "\n").map(String.init)

        let found = WrittenCredential.find(inLines: lines.count) { lines[$0 - 1] }

        #expect(found.map(\.text) == expected)
        for credential in found {
            let (range, line) = (credential.range, Array(lines[credential.range.start.line - 1].unicodeScalars))
            #expect(String(String.UnicodeScalarView(line[(range.start.column - 1)..<(range.end.column - 1)])) == credential.text)
        }
    }

    @Test(
        arguments: [
            ("memry", "memory"), ("mermory", "memory"), ("meomry", "memory"), ("MEMORY", "memory"), ("disk_catalogue", "disk_catalog"),
            ("dsik", "disk"), ("xyz", nil), ("", nil), ("d", nil), ("disk_catalog", "disk_catalog"), ("catalog_disk", nil),
        ] as [(String, String?)]) func `the name that was meant`(written: String, meant: String?)
    {
        #expect(NearestName.find(written, among: ["memory", "disk", "disk_catalog", "api"]) == meant)
    }
}
