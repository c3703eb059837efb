import Testing

extension CommandLineTests {
    /// A command that is named first is parsed without the others, and must not be seen to be.
    @Suite struct UsageTests {
        @Test(arguments: ["fetch", "watch", "validate", "completions"])
        func `a command tells its usage as the program tells it`(command: String) async throws {
            let folder = try WorkFolder()

            let asked = try await folder.run(command, "--help")
            let helped = try await folder.run("help", command)

            #expect(asked.status == 0 && helped.status == 0)
            #expect(asked.text.contains("USAGE: pipe-run \(command) "), "\(asked.text)")
            #expect(asked.text == helped.text && asked.errors == "" && helped.errors == "")
        }

        @Test func `the version of a command is the program's`() async throws {
            let folder = try WorkFolder()

            let own = try await folder.run("fetch", "--version")
            let whole = try await folder.run("--version")
            #expect(try await folder.run("version").text == whole.text)

            #expect(own.status == 0 && own.text == whole.text && own.text != "")
        }

        @Test func `wrong usage of a command names the program, too`() async throws {
            let ran = try await WorkFolder().run("validate", "--strikt")

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains("'--strikt'") && ran.errors.contains("Usage: pipe-run validate "), "\(ran.errors)")
            #expect(ran.errors.contains("See 'pipe-run validate --help'"), "\(ran.errors)")
        }

        @Test func `the program alone says how it is used`() async throws {
            let ran = try await WorkFolder().run()

            #expect(ran.status == 0 && ran.text.contains("USAGE: pipe-run <subcommand>"), "\(ran.text)\(ran.errors)")
        }
    }
}
