import Foundation
import Testing

extension CommandLineTests {
    @Suite struct FetchOutputTests {
        @Test(arguments: ["[1]", "{ \"a\": 1.0,\n  \"b\" : [ ] }\n", "\"\\u00e9\"", "0", "null", "\"\"", " 1 \n\n"])
        func `prints exactly the payload's bytes`(payload: String) async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", payload)

            let first = try await folder.run("fetch", "friends", "user=1")
            let second = try await folder.run("fetch", "friends", "user=1", "--policy", "cache-only")

            #expect(first.output == Array(payload.utf8))
            #expect(second.output == first.output)
            #expect(first.status == 0 && second.status == 0)
            #expect(first.errors == "" && second.errors == "")
        }

        @Test func `prints bytes that are no text, and an empty payload`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  noise: { type: file, path: noise, read_only: true }
                  empty: { type: file, path: empty, read_only: true }
                pipelines:
                  noise: { format: bytes, tiers: [noise] }
                  empty: { format: text, tiers: [empty] }
                """)
            let noise: [UInt8] = (0...255).map { $0 }
            try folder.write("noise", noise)
            try folder.write("empty", "")

            let (first, second) = (try await folder.run("fetch", "noise"), try await folder.run("fetch", "empty"))

            #expect(first.output == noise)
            #expect(second.output == [] && second.status == 0)
        }

        @Test func `a large payload comes whole`() async throws {
            let folder = try WorkFolder(flatTiers)
            let payload = "[" + String(repeating: "1234567, ", count: 500_000) + "0]"
            try folder.write("flat/1.json", payload)

            let ran = try await folder.run("fetch", "friends", "user=1")

            #expect(ran.output.count == payload.utf8.count)
            #expect(ran.text == payload)
        }

        @Test func `repeated payloads stand on lines of their own`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            #expect(try await folder.run("fetch", "friends", "user=1", "--repeat", "3").text == "[1]\n[1]\n[1]\n")
        }

        @Test func `the trace is on standard error only, without escape codes`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            let ran = try await folder.run("fetch", "friends", "user=1", "--trace")

            #expect(ran.text == "[1]")
            let trace = ran.errors.replacing(#/ +[0-9.]+ ms/#, with: " MS").replacing(/age [0-9a-z]+/, with: "age AGE")
            #expect(
                trace == """
                    friends user=1: value from flat, age AGE, no limit
                    ├─ memory  miss MS
                    ├─ disk    miss MS
                    ├─ flat    hit MS
                    ├─ memory  written
                    └─ disk    written

                    """)
        }

        @Test func `on a terminal it shows colours and ends the line`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            let shown = try await folder.start(["fetch", "friends", "user=1", "--trace"], output: .terminal).ran().errors

            #expect(shown.contains("[1]\r\n"))
            #expect(shown.contains("\u{1B}[32mhit\u{1B}[0m"))
        }

        @Test(arguments: [
            (["--color", "always"], [:], true), (["--color=always"], ["NO_COLOR": "1"], true), ([], ["FORCE_COLOR": "1"], true),
            ([], ["FORCE_COLOR": "1", "NO_COLOR": "1"], false), (["--color", "never"], ["FORCE_COLOR": "1"], false),
            (["--color=auto"], [:], false), ([], [:], false),
        ])
        func `colours that are asked for show where no terminal reads`(
            options: [String], environment: [String: String], isColoured: Bool
        ) async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            let before = try await folder.start(options + ["fetch", "friends", "user=1", "--trace"], environment: environment).ran()
            let after = try await folder.start(["fetch", "friends", "user=1", "--trace"] + options, environment: environment).ran()

            for ran in [before, after] { #expect(ran.errors.contains("\u{1B}[32mhit\u{1B}[0m") == isColoured, "\(ran.errors)") }
        }

        @Test func `the carets of a warning have its colour`() async throws {
            let folder = try WorkFolder("sources:\n  memory: { type: memory }\npipelines:\n  p: { tiers: [memory] }\n")

            let shown = try await folder.run("validate", "--color", "always").text

            #expect(shown.contains("\u{1B}[33mwarning") == shown.contains("\u{1B}[33m^") && shown.contains("\u{1B}[33m^"), "\(shown)")
        }

        static let locales: [(environment: [String: String], isASCII: Bool)] = [
            (["LC_ALL": "C"], true), (["LANG": "POSIX"], true), (["LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "C.UTF-8"], true),
            (["LC_ALL": "", "LANG": "en_US"], true), ([:], false), (["LC_ALL": "C.UTF-8", "LANG": "C"], false),
            (["LC_CTYPE": "en_US.utf8", "LANG": "C"], false),
        ]

        @Test(arguments: locales)
        func `lines, arrows and marks are ASCII under a locale without UTF-8; values stay`(
            environment: [String: String], isASCII: Bool
        ) async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[\"→\"]")
            try folder.write(
                "pipeline.test.yaml",
                "tests:\n  - name: a\n    pipeline: friends\n    with: { user: 1 }\n    given: { flat: '1' }\n    steps: [ { fetch: { is: '1' } } ]\n"
            )

            for arguments in [
                ["fetch", "friends", "user=1", "--trace"], ["graph"], ["graph", "--diff", "pipeline.yaml"], ["test"],
                ["test", "--coverage", "text"], ["help", "tiers"], ["help", "fetch"],
            ] {
                let ran = try await folder.start(arguments, environment: environment).ran()
                let text = arguments[0] == "fetch" ? ran.errors : ran.everything
                #expect(!isASCII || text.utf8.allSatisfy { $0 < 0x80 }, "\(arguments) \(text)")
                #expect(arguments[0] != "fetch" || ran.text == "[\"→\"]")
                if ["fetch", "test"].contains(arguments[0]) || arguments == ["graph"] {
                    #expect(isASCII == text.utf8.allSatisfy { $0 < 0x80 }, "\(arguments) \(text)")
                }
            }
        }

        @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
        func `on a terminal without colours there are no escape codes`(environment: [String: String]) async throws {
            let folder = try WorkFolder(flatTiers + "\n  broken: 1\n")

            for arguments in [["fetch", "friends", "user=1", "--trace"], ["validate"]] {
                let shown = try await folder.start(arguments, environment: environment, output: .terminal).ran().errors
                #expect(!shown.contains("\u{1B}"))
                #expect(shown.contains("broken"))
            }
        }
    }
}
