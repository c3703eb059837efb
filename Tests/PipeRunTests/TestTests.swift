import Foundation
import Testing

extension CommandLineTests {
    /// The command `test`.
    @Suite struct TestTests {
        private static let config = """
            sources:
              memory: { type: memory }
              api: { type: http, url: "http://127.0.0.1:1/" }
            pipelines:
              friends: { tiers: [{ source: memory, ttl: 30s }, api] }
            """

        private static let tests = """
            orders: { network-first: [api, memory] }
            tests:
              - name: it passes
                tags: [good]
                given: { api: '[1]' }
                steps: [{ fetch: { from: api } }]
              - name: it fails
                given: { api: '[1]' }
                steps: [{ fetch: { from: memory } }]
              - name: it passes in an order
                in: network-first
                given: { api: '[1]' }
                steps: [{ fetch: { from: api } }, { fetch: { from: api } }]
            """

        private static func folder(_ tests: String = tests) throws -> WorkFolder {
            let folder = try WorkFolder(config)
            try folder.write("pipeline.test.yaml", tests)
            return folder
        }

        private static func run(_ folder: WorkFolder, _ arguments: String...) async throws -> Ran {
            try await folder.start(["test"] + arguments, environment: ["XDG_STATE_HOME": folder.url.path + "/state"]).ran()
        }

        /// The names that a run shows, with what they came to.
        private static func names(_ ran: Ran) -> [String] {
            ran.text.split(separator: "\n").filter { $0.hasPrefix("✓") || $0.hasPrefix("✗") }
                .map { String($0.prefix { $0 != "(" }.split(separator: "    ")[0]) }
        }

        @Test(
            arguments: [
                (["--explore", "1000000000"], SIGINT, 130, "random steps, no violation; interrupted, ", " steps left"),
                (["--explore", "1000000000"], SIGTERM, 143, "random steps, no violation; interrupted, ", " steps left"),
                (["--mutate"], SIGINT, 130, " killed", " changes left"), (["--mutate"], SIGTERM, 143, " killed", " changes left"),
            ] as [([String], Int32, Int32, String, String)])
        func `a signal prints what random steps and changes came to until then`(
            _ arguments: [String], _ signal: Int32, _ status: Int32, _ before: String, _ after: String
        ) async throws {
            // Enough changes for minutes: each limit that never matters is looked at for long.
            let names = (0..<40).map { "f\($0)" }
            let pipelines = names.map {
                "  \($0): { tiers: [{ source: memory, ttl: 30s, timeout: 20s }, { source: api, timeout: 25s }] }\n"
            }
            let tests = names.map {
                "  - { name: \($0), pipeline: \($0), given: { api: '[1]' }, steps: [{ fetch: { from: api } }] }\n"
            }
            let folder = try Self.folder("tests:\n" + tests.joined())
            let sources = String(Self.config.split(separator: "pipelines:")[0])
            try folder.write("pipeline.yaml", sources + "pipelines:\n" + pipelines.joined())
            let process = try folder.start(["test"] + arguments, output: .terminal)

            _ = try await blocking { try process.errors.first { $0.contains("40 passed, 0 failed") ? true : nil } }
            process.send(signal)
            let ran = try await process.ran()

            #expect(ran.status == status)
            let text = process.errors.text
            #expect(text.contains(before) && text.contains("; interrupted, ") && text.contains(after), "\(text)")
        }

        @Test func `every test runs, also after a failure, and a failure ends with 1`() async throws {
            let ran = try await Self.run(Self.folder())

            #expect(ran.status == 1)
            #expect(Self.names(ran) == ["✓ it passes", "✗ it fails", "✓ it passes in an order [network-first]"])
            #expect(ran.text.contains("  pipeline.test.yaml:9:30: step 1 `fetch` at 0s: from is api, expected memory\n"))
            #expect(ran.text.contains("  again: pipe-run test pipeline.test.yaml:7\n"))
            #expect(ran.text.hasSuffix("2 passed, 1 failed\n"))
        }

        @Test(arguments: [
            (["pipeline.test.yaml:4"], ["✓ it passes"]), (["pipeline.test.yaml", "--tag", "good"], ["✓ it passes"]),
            (["--filter", "^it f"], ["✗ it fails"]), (["."], ["✓ it passes", "✗ it fails", "✓ it passes in an order [network-first]"]),
            (["--order", "network-first", "--filter", "order"], ["✓ it passes in an order [network-first]"]),
            (["pipeline.test.yaml:3", "--order", "api,memory"], ["✓ it passes [api,memory]"]),
            (["pipeline.test.yaml:3", "--repeat", "2"], ["✓ it passes", "✓ it passes"]),
        ])
        func `tests are selected by place, tag, name and order`(arguments: [String], names: [String]) async throws {
            let folder = try Self.folder()
            let ran = try await folder.start(["test"] + arguments, environment: ["XDG_STATE_HOME": folder.url.path + "/state"]).ran()

            #expect(Self.names(ran) == names, "\(ran.everything)")
        }

        @Test func `the tests that failed are run again alone`() async throws {
            let folder = try Self.folder()
            _ = try await Self.run(folder)
            let again = try await Self.run(folder, "--failed")
            try folder.write("pipeline.test.yaml", Self.tests.replacing("{ from: memory }", with: "{ from: api }"))
            let corrected = try await Self.run(folder, "--failed")
            let all = try await Self.run(folder, "--failed")

            #expect(Self.names(again) == ["✗ it fails"])
            #expect(Self.names(corrected) == ["✓ it fails"] && corrected.status == 0)
            #expect(Self.names(all).count == 3)
        }

        @Test func `what became of a send is told, and no outbox is opened`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  api: { type: http, url: "http://127.0.0.1:1/" }
                  add: { type: http, method: POST, url: "http://127.0.0.1:1/", idempotent: true }
                  outbox: { type: outbox, path: outbox.db }
                pipelines:
                  friends: { tiers: [api] }
                sends:
                  add_friend: { to: add, changes: [{ pipeline: friends, op: upsert, id: /id }] }
                """)
            try folder.write(
                "pipeline.test.yaml",
                """
                tests:
                  - name: it is sent
                    given: { add: error }
                    steps: [{ send: { name: add_friend, is: '{"id":1}', as: first, state: sent } }]
                """)

            let ran = try await Self.run(folder)

            #expect(ran.status == 1)
            #expect(
                ran.text.contains("  pipeline.test.yaml:4:75: step 1 `send` at 0s: state is waiting (error), expected sent\n"),
                "\(ran.everything)")
            #expect(ran.text.contains("add asked: add_friend first") && ran.text.contains("add_friend first waiting (error)"))
            #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains("outbox.db"))
        }

        @Test func `no test found is 1, a file that cannot be used is 2, and wrong usage 64`() async throws {
            let folder = try Self.folder()
            let none = try await Self.run(folder, "--filter", "nothing")
            let missing = try await Self.run(folder, "nowhere.test.yaml")
            let usage = try await Self.run(folder, "--repeat", "0")

            #expect(none.status == 1 && none.errors.contains("no test was found"))
            #expect(missing.status == 2 && missing.errors.contains("P004"))
            #expect(usage.status == 64)
        }

        @Test func `OT-19 a broken file does not keep the others from running`() async throws {
            let folder = try Self.folder()
            try folder.write(
                "broken.test.yaml",
                "config: pipeline.yaml\ntests: [{ name: one, given: { api: x }, steps: [{ fetch: { from: nowhere } }] }]\n")

            let ran = try await Self.run(folder, ".")

            #expect(ran.status == 2)
            #expect(Self.names(ran).count == 3)
            #expect(ran.errors.contains("broken.test.yaml:2:66: error[P601]: unknown source `nowhere`"))
        }

        @Test func `nothing is written when all pass`() async throws {
            let folder = try Self.folder()
            let ran = try await Self.run(folder, "--tag", "good")

            #expect(ran.status == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["pipeline.test.yaml", "pipeline.yaml"])
        }
    }
}
