import Pipeline
import PipelineYAML
import Testing

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
}
