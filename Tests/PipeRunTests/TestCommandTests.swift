import Foundation
import Testing

extension ComputingTests {
    /// `pipe-run test`, and what else knows test files.
    @Suite struct TestCommandTests {
        static let config = """
            sources:
              memory: { type: memory }
              api: { type: http, url: "http://127.0.0.1:1/friends", headers: { Authorization: "Bearer ${TOKEN:-s3cret-of-mine}" } }
            pipelines:
              friends: { tiers: [{ source: memory, ttl: 30s }, api] }

            """

        static let tests = """
            orders: { network-first: [api, memory] }
            tests:
              - name: memory answers
                tags: [quick]
                given: { api: '["v1"]' }
                steps:
                  - fetch: { from: api }
                  - fetch: { from: memory }
              - name: memory answers for a minute
                tags: [slow, wrong]
                given: { api: '["v1"]' }
                steps:
                  - fetch: { from: api }
                  - wait: 1m
                  - fetch: { from: memory }

            """

        private static func folder(_ tests: String = tests) throws -> WorkFolder {
            let folder = try WorkFolder(config)
            try folder.write("pipeline.test.yaml", tests)
            return folder
        }

        /// Runs `pipe-run test` with a folder of its own for its state.
        private static func test(_ folder: WorkFolder, _ arguments: String...) async throws -> Ran {
            try await folder.start(["test"] + arguments, environment: ["XDG_STATE_HOME": folder.url.path + "/state"]).ran()
        }

        private static let right = tests.replacing("wait: 1m", with: "wait: 29s")

        @Test func `first tests have the composite, whose parts answer, and what has none is named`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  memory: { type: memory, max_entries: 100 }
                  users: { type: http, url: "http://127.0.0.1:1/users/{id}" }
                  ads: { type: http, url: "http://127.0.0.1:1/ads" }
                pipelines:
                  user: { parameters: [id], tiers: [{ source: memory, ttl: 1m }, users] }
                  ads: { tiers: [ads] }
                  home:
                    parameters: [id]
                    tiers: [{ source: memory, ttl: 10s }, combine]
                    combine: { object: { me: user, ads: { pipeline: ads, default: [], timeout: 1s } } }
                  kept: { parameters: [id], tiers: [memory] }
                """)

            let written = try await folder.run("init", "--tests")
            let text = try #require(folder.read("pipeline.test.yaml"))
            let tested = try await folder.run("test")

            #expect(written.status == 0 && tested.status == 0, "\(written.everything)\(tested.everything)")
            #expect(
                text.contains("name: \"home: combine fills the caches\"") && text.contains("given: { users: '[\"v1\"]', ads: '[\"v1\"]' }"),
                "\(text)")
            #expect(text.contains("home: every origin fails and there is no copy: the fetch fails"))
            #expect(text.contains("tiers: [memory miss, combine hit], writes: [memory written]"))
            #expect(written.errors.contains("none of the usual tests fits `kept`\n"), "\(written.errors)")
        }

        @Test func `without a path the tests beside the configuration run, and a failure ends with 1`() async throws {
            let folder = try Self.folder()

            let red = try await Self.test(folder)
            try folder.write("pipeline.test.yaml", Self.right)
            let green = try await Self.test(folder)

            #expect(red.status == 1 && red.text.contains("✗ memory answers for a minute"))
            #expect(red.text.contains("pipeline.test.yaml:15:24: step 3 `fetch` at 1m: from is api, expected memory"))
            #expect(red.text.contains("  again: pipe-run test pipeline.test.yaml:9\n") && red.text.hasSuffix("1 passed, 1 failed\n"))
            #expect(green.status == 0 && green.text.hasSuffix("2 passed, 0 failed\n") && green.errors == "")
        }

        @Test func `what a failure says to run again is that test alone`() async throws {
            let folder = try Self.folder()
            let red = try await Self.test(folder, "--order", "network-first", "--seed", "7")
            let again = try #require(red.text.firstMatch(of: /again: pipe-run (.*)\n/)).1.split(separator: " ").map(String.init)

            let ran = try await folder.start(again, environment: ["XDG_STATE_HOME": folder.url.path + "/state"]).ran()

            #expect(again.contains("--seed"))
            #expect(ran.status == 1 && ran.text.contains("0 passed, 1 failed"))
        }

        @Test func `what a failure says to run again quotes the configuration`() async throws {
            let folder = try Self.folder()
            try folder.write("my pipeline.yaml", Self.config)

            let red = try await Self.test(folder, "pipeline.test.yaml", "-c", "my pipeline.yaml")

            #expect(red.text.contains("  again: pipe-run test pipeline.test.yaml:9 -c 'my pipeline.yaml'\n"), "\(red.everything)")
        }

        @Test(arguments: ["1", "9999"]) func `at a line where no test stands there is none`(line: String) async throws {
            let ran = try await Self.test(try Self.folder(Self.right), "pipeline.test.yaml:\(line)")

            #expect(ran.status == 1 && ran.text == "0 passed, 0 failed\n" && ran.errors.contains("no test was found"), "\(ran.everything)")
        }

        @Test(arguments: [
            (["--filter", "zzz"], "no test has a name that matches `zzz`"),
            (["--tag", "x", "--tag", "y"], "no test has the tag `x` or `y`"),
            (["pipeline.test.yaml:1"], "no test stands at line 1"), (["pipeline.test.yaml:9999:2"], "no test stands at line 9999"),
            (["--filter", "minute", "--tag", "quick"], "no test was found\nhelp: `pipe-run test FILE` names a file"),
        ])
        func `where no test is found the option that rules out all is named`(arguments: [String], words: String) async throws {
            let ran = try await Self.folder().start(["test"] + arguments).ran()

            #expect(ran.status == 1 && ran.errors.contains(words), "\(ran.everything)")
        }

        @Test func `the place of a failure selects its test`() async throws {
            let ran = try await Self.test(try Self.folder(), "pipeline.test.yaml:15:24")

            #expect(ran.status == 1 && ran.text.hasSuffix("0 passed, 1 failed\n"), "\(ran.everything)")
        }

        @Test func `a configuration in the place of a test file is told as one`() async throws {
            let ran = try await Self.test(try Self.folder(Self.right), "pipeline.yaml", "pipeline.test.yaml")

            #expect(ran.status == 2 && ran.text.hasSuffix("2 passed, 0 failed\n"))
            #expect(ran.errors.contains("`pipeline.yaml` is a configuration, and has no `tests`"), "\(ran.errors)")
            #expect(ran.errors.contains("help: `pipe-run test -c pipeline.yaml` runs its tests") && !ran.errors.contains("P601"))
        }

        @Test(arguments: ["1", "3"]) func `the greatest seed is one, and the last one that is repeated`(count: String) async throws {
            let ran = try await Self.test(try Self.folder(Self.right), "--seed", "\(UInt64.max)", "--repeat", count)

            #expect(ran.status == 0 && ran.text.hasSuffix("2 passed, 0 failed\n"), "\(ran.everything)")
        }

        @Test(arguments: ["json", "junit", "tap", "github"]) func `each format names the test that failed and ends with 1`(format: String)
            async throws
        {
            let ran = try await Self.test(try Self.folder(), "--format", format)

            #expect(ran.status == 1 && ran.errors == "")
            #expect(ran.text.contains("memory answers for a minute"))
        }

        @Test(arguments: ["text", "json", "junit", "tap", "github"]) func `no test that was found ends with 1, and says so`(format: String)
            async throws
        {
            let ran = try await Self.test(try Self.folder(), "--tag", "nonesuch", "--format", format)

            #expect(ran.status == 1 && ran.errors.contains("no test was found"))
        }

        @Test func `the tests that failed are kept and run again, and nothing else is written`() async throws {
            let folder = try Self.folder()
            let before = folder.files(below: ".")

            let all = try await Self.test(folder)
            let again = try await Self.test(folder, "--failed")
            let kept = folder.files(below: ".").filter { !before.contains($0) }
            try folder.write("pipeline.test.yaml", Self.right)
            let fixed = try await Self.test(folder, "--failed")
            let rest = try await Self.test(folder, "--failed")

            #expect(all.text.hasSuffix("1 passed, 1 failed\n") && again.text.hasSuffix("0 passed, 1 failed\n"))
            #expect(kept == ["state", "state/pipe-run", "state/pipe-run/failed-tests"])
            #expect(fixed.status == 0 && fixed.text.hasSuffix("\n1 passed, 0 failed\n"))
            #expect(rest.text.hasSuffix("\n2 passed, 0 failed\n"))
        }

        @Test func `a test that failed and is gone keeps no other from running`() async throws {
            let folder = try Self.folder()
            _ = try await Self.test(folder)
            try folder.write("pipeline.test.yaml", Self.right.replacing("for a minute", with: "for 29 seconds"))

            let ran = try await Self.test(folder, "--failed")

            #expect(ran.status == 0 && ran.text.hasSuffix("2 passed, 0 failed\n"))
        }

        @Test func `P605 only is allowed in text, and a mistake where programs read`() async throws {
            let folder = try Self.folder(Self.tests.replacing("    tags: [quick]", with: "    only: true"))

            let text = try await Self.test(folder)
            let tap = try await Self.test(folder, "--format", "tap")

            #expect(text.status == 0 && text.text.hasSuffix("1 passed, 0 failed\n"))
            #expect(
                tap.status == 2 && tap.errors.contains("error[P605]") && tap.text.contains("not ok 1 - pipeline.test.yaml cannot be used"))
        }

        @Test func `OT-19 one broken file keeps no other from running, and ends with 2`() async throws {
            let folder = try Self.folder(Self.right)
            try folder.write("other.yaml", Self.config)
            try folder.write("other.test.yaml", "tests: [")
            try folder.write("orphan.test.yaml", Self.right)

            let ran = try await Self.test(folder, ".")

            #expect(ran.status == 2 && ran.text.hasSuffix("2 passed, 0 failed\n"))
            #expect(ran.errors.contains("./other.test.yaml:1:9: error[P001]") || ran.errors.contains("other.test.yaml"))
            #expect(ran.errors.contains("cannot read `./orphan.yaml`: no such file"))
        }

        @Test(arguments: ["text", "json", "junit", "tap", "github"])
        func `without a test file there is no test, which ends with 1 and says how to write one`(format: String) async throws {
            let ran = try await WorkFolder(Self.config).run("test", "--format", format)

            #expect(ran.status == 1)
            #expect(ran.errors.contains("no test file was found beside `pipeline.yaml`: looked for `pipeline.test.yaml`"), "\(ran.errors)")
            #expect(ran.errors.contains("help: `pipe-run init --tests` writes a first test file"))
            #expect(!ran.errors.contains("P004"))
        }

        @Test func `a test file that is named and missing, and a configuration that cannot be used, end with 2`() async throws {
            let named = try await WorkFolder(Self.config).run("test", "nowhere.test.yaml")
            let without = try await WorkFolder().run("test")
            let broken = try await WorkFolder(Self.config.replacing("type: http", with: "type: htp")).run("test")

            #expect(named.status == 2 && named.errors.contains("cannot read `nowhere.test.yaml`: no such file"))
            #expect(without.status == 2 && without.errors.contains("cannot read `pipeline.yaml`: no such file"), "\(without.errors)")
            #expect(broken.status == 2 && broken.errors.contains("P106"), "\(broken.errors)")
        }

        @Test(arguments: [
            ("network-frst", "did you mean `network-first`?"), ("apo", "did you mean `api`?"), ("memory,apo", "did you mean `api`?"),
            ("api,api", "twice"), ("api,", "empty name"),
        ])
        func `an order that there is not ends with 64, before anything runs`(order: String, words: String) async throws {
            let ran = try await Self.test(try Self.folder(), "--order", order)

            #expect(ran.status == 64 && ran.text == "" && ran.errors.contains(words), "\(ran.everything)")
            #expect(!ran.errors.contains("\u{FFFD}"))
        }

        @Test func `a test in an order that asks a source for what the pipeline does not have fails`() async throws {
            let folder = try Self.folder()
            try folder.write(
                "pipeline.yaml",
                Self.config.replacing("pipelines:", with: "  user: { type: http, url: \"http://127.0.0.1:1/{id}\" }\npipelines:"))

            let ran = try await Self.test(folder, "--order", "memory,user", "--filter", "memory answers")

            #expect(ran.status == 1, "\(ran.everything)")
            #expect(ran.everything.contains("the source `user` needs `{id}`, which is not a parameter of `friends`"), "\(ran.everything)")
        }

        @Test func `validate checks test files in every format, and fmt tidies them`() async throws {
            let folder = try Self.folder(Self.tests.replacing("from: api", with: "from: apo"))

            let text = try await folder.run("validate", ".")
            let sarif = try await folder.run("validate", "--format", "sarif", "pipeline.test.yaml")
            let fixed = try await folder.run("validate", "--fix", "pipeline.test.yaml")
            let fixedText = folder.read("pipeline.test.yaml")
            try folder.write("pipeline.test.yaml", Self.tests.replacing("tests:\n", with: "tests:   \n\n\n"))
            let untidy = try await folder.run("fmt", "--check", "pipeline.test.yaml")
            let formatted = try await folder.run("fmt", "pipeline.test.yaml")

            #expect(text.status == 1 && text.text.contains("./pipeline.test.yaml:7:24: error[P601]: unknown source `apo`"))
            #expect(text.text.contains("./pipeline.yaml:3:100: warning[P309]"))
            #expect(sarif.status == 1 && sarif.text.contains(#""ruleId":"P601""#))
            #expect(fixed.status == 0 && fixedText?.contains("from: api") == true)
            #expect(untidy.status == 1 && formatted.status == 0)
            #expect(folder.read("pipeline.test.yaml")?.contains("tests:\n\n  - name") == true)
            #expect(try await folder.run("validate", "pipeline.test.yaml").text == "pipeline.test.yaml: no problems\n")
        }

        @Test func `validate says of tests whose configuration has errors that they cannot be checked`() async throws {
            let folder = try Self.folder()
            try folder.write("pipeline.yaml", Self.config.replacing("type: http", with: "type: htp"))

            let broken = try await folder.run("validate", "pipeline.test.yaml")
            try FileManager.default.removeItem(at: folder.url.appending(path: "pipeline.yaml"))
            let missing = try await folder.run("validate", "pipeline.test.yaml")

            #expect(broken.status == 1 && broken.text.contains("the configuration `pipeline.yaml` cannot be tested: it has an error"))
            #expect(broken.text.contains("help: `pipe-run validate pipeline.yaml` shows what is wrong"))
            #expect(missing.status == 1 && missing.text.contains("cannot read `pipeline.yaml`: no such file"))
        }

        @Test func `the errors of a configuration are told once where it is checked with its tests`() async throws {
            let folder = try Self.folder()
            try folder.write("pipeline.yaml", Self.config.replacing("type: http", with: "type: htp"))

            for paths in [["."], ["pipeline.test.yaml", "./pipeline.yaml"], ["pipeline.yaml", "pipeline.test.yaml"]] {
                let both = try await folder.start(["validate", "--format", "json"] + paths).ran()

                #expect(both.status == 1 && both.text.contains("P106") && !both.text.contains("P004"), "\(both.text)")
            }
        }

        @Test func `a filter sees the name of a test, and not its order`() async throws {
            let folder = try Self.folder()

            let named = try await Self.test(folder, "--filter", "answers$", "--order", "network-first")
            let ordered = try await Self.test(folder, "--filter", "network", "--order", "network-first")

            #expect(named.text.contains("memory answers [network-first]") && !named.text.contains("a minute"), "\(named.everything)")
            #expect(ordered.status == 1 && ordered.errors.contains("no test has a name that matches `network`"), "\(ordered.errors)")
        }

        @Test func `the tags of the tests, and the files, are completed`() async throws {
            let bash = try await BashCompletion(in: Self.folder())

            #expect(try await bash.offered("test", "--tag", "").words == ["quick", "slow", "wrong"])
            #expect(try await bash.offered("test", "--format", "").words == ["text", "json", "junit", "tap", "github"])
            #expect(try await bash.offered("test", "--order", "").words == ["memory", "api"])
        }

        @Test(arguments: [
            "memory,file,http", "http", "memory,http", "file,http,memory", "file,file,http", "http,http", "command", "memory,inline",
            "memory,command", "command,inline", "sqlite_query", "memory,sqlite,sqlite_query", "memory,redis,http", "memory,http,sse",
        ])
        func `init writes tests that pass, and that are without a problem`(types: String) async throws {
            let folder = try WorkFolder()

            let written = try await folder.run("init", "--tests", types)
            let tested = try await Self.test(folder)
            let validated = try await folder.run("validate", "--deny-warnings", ".")
            let again = try await folder.run("init", "--tests")

            #expect(written.status == 0 && written.text == "", "\(written.errors)")
            #expect(tested.status == 0 && !tested.text.hasPrefix("0 passed"), "\(tested.text)\(tested.errors)")
            #expect(validated.status == 0, "\(validated.text)")
            #expect(again.status == 1 && again.errors.contains("`pipeline.test.yaml` already exists and is left unchanged"))
        }

        @Test func `the first tests cover what fills, what answers, what expires and what fails`() async throws {
            let folder = try WorkFolder(Self.config.replacing("friends: { ", with: "friends: { stale_if_error: 1d, "))

            let written = try await folder.run("init", "--tests")
            let tests = try #require(folder.read("pipeline.test.yaml"))
            let names = tests.matches(of: /- name: (.*)\n/).map { String($0.1) }

            #expect(written.status == 0 && written.errors.contains("`pipe-run test` runs it"))
            #expect(
                names == [
                    "api fills the caches", "a copy in memory answers until it expires at 30s",
                    #""api fails and there is no copy: the fetch fails""#,
                    #""api fails after every copy expired: the expired one is served""#,
                    "an expired copy is served until 1d after it expired",
                ])
            #expect(
                tests.contains("      - fetch: { is: '[\"v1\"]', from: api, tiers: [memory miss, api hit], writes: [memory written] }\n"))
        }

        @Test func `with both stale windows the first tests wait until the failure decides`() async throws {
            let folder = try WorkFolder(
                Self.config.replacing("friends: { ", with: "friends: { stale_while_revalidate: 1m, stale_if_error: 1d, "))

            _ = try await folder.run("init", "--tests")
            let tests = try #require(folder.read("pipeline.test.yaml"))
            let served = "stale: true, from: memory, tiers: [memory stale, api error] }"

            #expect(tests.matches(of: /stale: true/).count == 2, "\(tests)")
            #expect(tests.contains("      - wait: 1m30s\n      - set: { api: { error: status 500 } }\n"), "\(tests)")
            #expect(tests.ranges(of: served).count == 2, "\(tests)")
        }

        @Test func `the first tests show what a composite does without each optional part`() async throws {
            let folder = try WorkFolder(
                """
                version: 1
                sources:
                  friends: { type: http, url: "http://127.0.0.1:1/friends" }
                  ads: { type: http, url: "http://127.0.0.1:1/ads" }
                  news: { type: http, url: "http://127.0.0.1:1/news" }
                pipelines:
                  friends: { tiers: [friends] }
                  ads: { tiers: [ads] }
                  news: { tiers: [news] }
                  home:
                    combine:
                      object: { friends: friends, ads: { pipeline: ads, optional: true }, a/b: { pipeline: news, default: [] } }

                """)

            let written = try await folder.run("init", "--tests")
            let tests = try #require(folder.read("pipeline.test.yaml"))
            let tested = try await Self.test(folder)

            #expect(written.status == 0 && tested.status == 0, "\(written.errors)\(tested.text)")
            for words in ["complete: false, parts: [\"/ads failed\"]", "complete: false, parts: [\"/a~1b failed\"]"] {
                #expect(tests.contains(words), "\(tests)")
            }
            #expect(tests.contains(#"given: { friends: '["v1"]', ads: { error: status 500 }, news: '["v1"]' }"#), "\(tests)")
        }

        @Test func `init writes no tests for a configuration with errors`() async throws {
            let folder = try WorkFolder(Self.config.replacing("type: http", with: "type: htp"))

            let ran = try await folder.run("init", "--tests")

            #expect(ran.status == 2 && ran.errors.contains("error[P106]"))
            #expect(folder.files(below: ".") == ["pipeline.yaml"])
        }

        @Test func `ten thousand tests run`() async throws {
            let test = "  - { name: NAME, given: { api: '1' }, steps: [fetch: { from: api }] }\n"
            let many = (1...10_000).map { test.replacing("NAME", with: "test \($0)") }.joined()

            let ran = try await Self.test(try Self.folder("tests:\n" + many))

            #expect(ran.status == 0 && ran.text.hasSuffix("\n10000 passed, 0 failed\n"), "\(ran.errors)")
        }
    }
}
