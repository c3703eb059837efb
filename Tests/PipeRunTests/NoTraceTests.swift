#if os(Linux)
import Foundation
import Testing

extension CommandLineTests {
    /// Commands that only look leave no trace, on disk or network: not because nothing is found afterwards, but because nothing was asked
    /// of the system.
    @Suite struct NoTraceTests {
        /// A command that must leave no trace. To cover a further one, add a line to the table.
        struct Command: Sendable, CustomTestStringConvertible {
            let arguments: [String]
            var input: String = ""
            /// The exit code that shows that it did its work.
            var status: Int32 = 0

            init(_ arguments: String..., input: String = "", status: Int32 = 0) {
                self.arguments = arguments
                self.input = input
                self.status = status
            }

            var testDescription: String { arguments.joined(separator: " ") }
        }

        static let commands = [
            Command("validate"),
            Command("validate", "--level", "syntax"),
            Command("validate", "--level", "schema"),
            Command("validate", "--level", "graph"),
            Command("validate", "--level", "env"),
            Command("validate", "--format", "json", "broken.yaml", status: 1),
            Command("validate", "--format", "sarif", "broken.yaml", status: 1),
            Command("validate", "--format", "github", "broken.yaml", status: 1),
            Command("validate", "--format", "junit", "broken.yaml", status: 1),
            Command("validate", ".", "-", input: ValidateTests.broken, status: 1),
            Command("graph"),
            Command("graph", "friends", "--format", "mermaid"),
            Command("graph", "--format", "svg"),
            Command("graph", "--format", "json"),
            Command("graph", "--format", "dot", "--level", "env"),
            Command("graph", "--diff", "pipeline.yaml"),
            Command("explain"),
            Command("explain", "friends", "--format", "json"),
            Command("config"),
            Command("schema"),
            Command("schema", "--format", "markdown"),
            Command("schema", "--tests"),
            Command("test"),
            Command("test", "--format", "junit"),
            Command("validate", "pipeline.test.yaml"),
            Command("help", "tiers.retry"),
            Command("-c", "pipeline.yaml", "validate"),
            Command("explain-code", "P302"),
            Command("completions", "bash"),
            Command("completions", "zsh"),
            Command("completions", "fish"),
            Command("---completion", "fetch", "--", "positional@0", "2", "0", "pipe-run", "fetch", ""),
            Command("fmt", "--check", "untidy.yaml", status: 1),
            Command("fmt", "--diff", "untidy.yaml"),
            Command("fmt", "-", input: "a: 1  \n"),
            Command("fmt", "tidy.yaml"),
            Command("validate", "--fix", "--diff", "mistyped.yaml", status: 1),
            Command("validate", "--fix", "-", input: FixTests.broken),
            Command("validate", "--fix"),
            Command("sources"),
            Command("sources", "file"),
            Command("--help"),
        ]

        private static func folder() throws -> WorkFolder {
            let folder = try WorkFolder(threeTiers)
            try folder.write("broken.yaml", ValidateTests.broken)
            try folder.write("untidy.yaml", "a: 1  \r\n\n\n\nb: 2")
            try folder.write("tidy.yaml", "a: 1\n")
            try folder.write(
                "pipeline.test.yaml",
                """
                environment: { ORIGIN: "http://example.org" }
                tests:
                  - { name: it loads, pipeline: friends, given: { api: "[1]" }, steps: [fetch: { from: api }, wait: 1h] }

                """)
            try folder.write("mistyped.yaml", FixTests.broken)
            return folder
        }

        @Test(arguments: commands) func `asks nothing of the system that could leave a trace`(command: Command) async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try Self.folder()

                let seen = try await SystemCalls.of(
                    command.arguments, in: folder, environment: ["ORIGIN": origin.url], input: Array(command.input.utf8))

                #expect(seen.ran.status == command.status, "\(seen.ran.everything)")
                #expect(seen.calls.map(\.line) == [])
                #expect(origin.count == 0)
            }
        }

        @Test func `the level connect uses the network, and writes and makes nothing`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try Self.folder()

                let seen = try await SystemCalls.of(["validate", "--level", "connect"], in: folder, environment: ["ORIGIN": origin.url])

                #expect(seen.ran.status == 0, "\(seen.ran.everything)")
                #expect(seen.lines(.disk) == [])
                #expect(!seen.lines(.network).isEmpty)
                #expect(origin.heads.map { $0.hasPrefix("HEAD /friends ") } == [true])
            }
        }

        @Test func `a command that does leave traces is seen to`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try Self.folder()

                let seen = try await SystemCalls.of(["fetch", "friends"], in: folder, environment: ["ORIGIN": origin.url])

                #expect(seen.ran.text == "[1]")
                for call in ["mkdir", "O_CREAT", "write", "rename"] {
                    #expect(seen.lines(.disk).contains { $0.contains(call) }, "\(call)")
                }
                for call in ["socket(", "connect("] { #expect(seen.lines(.network).contains { $0.contains(call) }, "\(call)") }
            }
        }
    }
}
#endif
