import Testing

extension CommandLineTests {
    /// `pipe-run help tiers.retry`.
    @Suite struct FieldReferenceTests {
        private static func help(_ topic: String) async throws -> Ran {
            try await WorkFolder().run("help", topic)
        }

        @Test func `says what a field means, with the fields in it`() async throws {
            let ran = try await Self.help("tiers.retry")

            #expect(ran.status == 0 && ran.errors == "")
            #expect(ran.text.hasPrefix("pipelines.tiers.retry  (mapping)\n    How to retry a failed read.\n"), "\(ran.text)")
            #expect(
                ran.text.contains("Each wait is random: at most `base`")
                    && ran.text.contains("\n  attempts  (integer, default 3, 1 to 100)\n"))
        }

        @Test(arguments: [
            ("retry.base", "pipelines.tiers.retry.base  ("), ("pipelines.tiers.ttl", "pipelines.tiers.ttl  ("),
            ("http.url", "sources.http.url  (URL template, required)"), ("sources.http", "sources.http\n"), ("http", "sources.http\n"),
            ("pipelines", "pipelines  (map of mapping, required)"), ("version", "version  ("),
            ("shared_flight.lease", "sources.sqlite.shared_flight.lease  ("), ("parameters.default", "pipelines.parameters.default  ("),
        ])
        func `a path may be whole, or its end`(topic: String, beginning: String) async throws {
            let ran = try await Self.help(topic)

            #expect(ran.status == 0 && ran.text.hasPrefix(beginning), "\(ran.everything)")
        }

        @Test func `an end that several paths have shows all of them`() async throws {
            let ran = try await Self.help("timeout")

            for path in ["pipelines.tiers.timeout", "sources.http.timeout", "sources.command.timeout"] {
                #expect(ran.text.contains("\(path)  ("), "\(ran.text)")
            }
        }

        @Test func `what can be told of is named where it is: types below sources, fields below types`() async throws {
            let ran = try await Self.help("tiers")

            #expect(ran.text.contains("\n  on_error  (") && ran.text.contains("asked from the top down"), "\(ran.text)")
        }

        @Test(arguments: [
            ("tiers.retri", "did you mean `tiers.retry`?"), ("deadlin", "did you mean `deadline`?"), ("fetc", "did you mean `fetch`?"),
            ("qqqqqqqqqqq", "`pipe-run help` lists the commands"),
        ])
        func `an unknown path names the nearest`(topic: String, help: String) async throws {
            let ran = try await Self.help(topic)

            #expect(ran.status == 64 && ran.text == "" && ran.errors.contains(help), "\(ran.errors)")
            #expect(ran.errors.hasPrefix("pipe-run: `\(topic)` is neither a command nor a field\n"))
        }

        @Test(arguments: ["tiers.retry", "tiers", "http", "pipelines", "redis"])
        func `every text is wrapped at 100 columns`(topic: String) async throws {
            let ran = try await Self.help(topic)

            let texts = ran.text.split(separator: "\n").filter { $0.hasPrefix("    ") && !$0.hasPrefix("    for example: ") }
            #expect(texts.allSatisfy { $0.count <= 100 }, "\(texts.filter { $0.count > 100 })")
            #expect(texts.contains { $0.count > 90 })
        }

        @Test func `a command still has its own help`() async throws {
            #expect(try await Self.help("fetch").text.contains("USAGE: pipe-run fetch "))
            #expect(try await WorkFolder().run("help").text.contains("SUBCOMMANDS:"))
        }
    }
}
