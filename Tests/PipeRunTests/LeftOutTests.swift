import Testing

extension CommandLineTests {
    /// What a command did not do, and what a call lacks, is said.
    @Suite struct LeftOutTests {
        private static let pages = """
            sources:
              given: { type: command, command: [echo, "[1]", "--", "{user}", "{page}"] }
            pipelines:
              friends: { parameters: { user: , lang: { default: en }, page: }, format: text, tiers: [given] }

            """

        @Test(arguments: [
            (["friends"], "parameters `user` and `page`", "friends user=VALUE page=VALUE"),
            (["friends", "user=a b"], "parameter `page`", "friends 'user=a b' page=VALUE"),
        ]) func `all missing parameters are named, and the call in the help works`(
            arguments: [String], named: String, call: String
        ) async throws {
            let folder = try WorkFolder()
            try folder.write("my file.yaml", Self.pages)

            let ran = try await folder.start(["fetch", "-c", "my file.yaml"] + arguments).ran()
            let words = "pipe-run fetch -c 'my file.yaml' " + call
            let given = try await folder.run("fetch", "-c", "my file.yaml", "friends", "user=VALUE", "page=VALUE")

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains(named) && ran.errors.contains("`\(words)`"), "\(ran.errors)")
            #expect(given.status == 0 && given.text.hasPrefix("[1]"), "\(given.everything)")
        }

        @Test func `without origins it is said that they were not asked, and since when the copy is no longer good`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: "{key}.json" }
                  given: { type: inline, value: [1] }
                pipelines:
                  friends: { tiers: [{ source: disk, ttl: 1ms }, given] }

                """)

            let cold = try await folder.run("fetch", "friends", "--policy", "cache-only")
            _ = try await folder.run("fetch", "friends")
            let late = try await folder.run("fetch", "friends", "--policy", "cache-only")

            #expect(cold.status == 3 && cold.errors.contains("not found in the caches, and origins were not asked\n"), "\(cold.errors)")
            #expect(late.status == 3 && late.text == "")
            #expect(late.errors.contains(/origins were not asked; the copy in `disk` expired \S+ ago/), "\(late.errors)")
        }

        @Test func `a program that is missing is to be corrected, and not made reachable`() async throws {
            let folder = try WorkFolder(
                "sources:\n  gone: { type: command, command: [no-such-program] }\npipelines:\n  friends: { tiers: [gone] }\n")

            let ran = try await folder.run("validate", "--level", "connect")

            #expect(ran.text.contains("help: install it, or write its whole path in `command`\n"), "\(ran.text)")
        }
    }
}
