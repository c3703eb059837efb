import Testing

extension CommandLineTests {
    /// Which file a command works with.
    @Suite struct ConfigPathTests {
        private static func folder() throws -> WorkFolder {
            let folder = try WorkFolder(config("here"))
            for name in ["other", "third"] { try folder.write("\(name).yaml", config(name)) }
            return folder
        }

        private static func config(_ value: String) -> String {
            "sources: { v: { type: inline, text: \(value) } }\npipelines: { p: { format: text, tiers: [v] } }\n"
        }

        @Test(arguments: [
            (["fetch", "p"], [:], "here"),
            (["-c", "other.yaml", "fetch", "p"], [:], "other"), (["--config", "other.yaml", "fetch", "p"], [:], "other"),
            (["-cother.yaml", "fetch", "p"], [:], "other"), (["fetch", "p", "-cother.yaml"], [:], "other"),
            (["-c=other.yaml", "fetch", "p"], [:], "other"),
            (["--config=other.yaml", "fetch", "p"], [:], "other"), (["fetch", "p", "-c", "other.yaml"], [:], "other"),
            (["fetch", "p"], ["PIPE_RUN_CONFIG": "third.yaml"], "third"), (["fetch", "p"], ["PIPE_RUN_CONFIG": ""], "here"),
            (["-c", "other.yaml", "fetch", "p"], ["PIPE_RUN_CONFIG": "third.yaml"], "other"),
            (["-c", "third.yaml", "fetch", "p", "-c", "other.yaml"], [:], "other"),
        ])
        func `an option counts more than the variable, and the variable more than the folder`(
            arguments: [String], environment: [String: String], value: String
        ) async throws {
            let ran = try await Self.folder().start(arguments, environment: environment).ran()

            #expect(ran.status == 0 && ran.text == value, "\(ran.everything)")
        }

        @Test func `standard input can be named in front, too`() async throws {
            let ran = try await Self.folder().run("-c", "-", "fetch", "p", input: Array(Self.config("piped").utf8))

            #expect(ran.text == "piped")
        }

        @Test(arguments: [
            "validate", "fmt --check", "graph", "explain", "config", "serve --help", "help fetch", "schema", "sources", "--version",
        ])
        func `every command takes it in front, also one that reads no file`(command: String) async throws {
            let words = command.split(separator: " ").map(String.init)
            let ran = try await Self.folder().start(["-c", "other.yaml"] + words).ran()

            #expect(ran.status == 0, "\(ran.everything)")
            if command == "validate" { #expect(ran.text == "other.yaml: no problems\n") }
        }

        @Test(arguments: ["validate", "explain p", "graph", "fetch p"])
        func `a file that is missing is said by its name, and that the variable names it`(command: String) async throws {
            let words = command.split(separator: " ").map(String.init)
            let folder = try Self.folder()
            let named = try await folder.start(words, environment: ["PIPE_RUN_CONFIG": "nowhere.yaml"]).ran()
            let given = try await folder.start(["-c", "none.yaml"] + words, environment: ["PIPE_RUN_CONFIG": "nowhere.yaml"]).ran()

            #expect(named.status != 0 && given.status != 0)
            #expect(named.everything.contains("error[P004]: cannot read `nowhere.yaml`: no such file"), "\(named.everything)")
            #expect(named.everything.contains("help: the variable `PIPE_RUN_CONFIG` names it; `pipe-run init`"), "\(named.everything)")
            #expect(given.everything.contains("cannot read `none.yaml`"), "\(given.everything)")
            #expect(!given.everything.contains("PIPE_RUN_CONFIG"), "\(given.everything)")
        }

        @Test func `the starter file is written where the others look`() async throws {
            let folder = try WorkFolder()
            let ran = try await folder.run("init", environment: ["PIPE_RUN_CONFIG": "mine.yaml"])

            #expect(ran.status == 0 && folder.read("mine.yaml") != nil && !ran.errors.contains(" -c "), "\(ran.errors)")
        }

        @Test func `an option without a file is wrong usage`() async throws {
            let ran = try await Self.folder().run("-c")

            #expect(ran.status == 64 && ran.errors.contains("-c"), "\(ran.errors)")
        }
    }
}
