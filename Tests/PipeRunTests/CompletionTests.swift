import Foundation
import Testing

extension CommandLineTests {
    @Suite struct CompletionTests {
        static let config = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{user}.{page}.json" }
              api: { type: http, url: "${UNSET}/{user}/{page}" }
            pipelines:
              friends:
                parameters: [user, page]
                tiers: [memory, disk, api]
              people: { tiers: [memory, api] }
            """

        @Test func `commands, options and their values`() async throws {
            let bash = try await BashCompletion(in: WorkFolder(Self.config))

            #expect(try await bash.offered("fe").words == ["fetch"])
            #expect(try await bash.offered("").words.contains("completions"))
            #expect(try await bash.offered("fetch", "--pol").words == ["--policy"])
            #expect(try await bash.offered("fetch", "friends", "--output", "").words == ["raw", "envelope"])
            #expect(try await bash.offered("fetch", "friends", "--output", "=", "r").words == ["raw"])
            #expect(try await bash.offered("fetch", "friends", "--output", "=").words == ["raw", "envelope"])
            #expect(try await bash.offered("watch", "friends", "--output", "").words == ["raw", "changes", "envelope"])
            #expect(try await bash.offered("fetch", "--policy", "").words == ["default", "cache-only", "refresh", "no-store", "offline"])
            #expect(try await bash.offered("completions", "").words == ["bash", "zsh", "fish"])
        }

        @Test func `the links of a pipeline, and those of the values that they lead to`() async throws {
            let config = """
                sources: { api: { type: http, url: "http://localhost/{id}" } }
                pipelines:
                  user: { parameters: [id], tiers: [api], links: { boss: { at: /boss_id, pipeline: user } } }
                  post: { parameters: [id], tiers: [api], links: { author: { at: /a, pipeline: user }, editor: { at: /e, pipeline: user } } }
                """
            let bash = try await BashCompletion(in: WorkFolder(config))

            #expect(try await bash.offered("fetch", "post", "id=1", "--follow", "").words == ["author", "editor"])
            #expect(try await bash.offered("fetch", "post", "--follow", "author.").words == ["author.boss"])
            #expect(try await bash.offered("fetch", "post", "--follow", "author.boss.b").words == ["author.boss.boss"])
            #expect(try await bash.offered("fetch", "post", "--follow", "nobody.").words == [])
            #expect(try await bash.offered("links", "po").words == ["post"])
        }

        @Test(arguments: ["fetch", "watch", "put", "remove", "clear", "graph", "explain"]) func `the pipelines of the file`(command: String)
            async throws
        {
            let bash = try await BashCompletion(in: WorkFolder(Self.config))

            #expect(try await bash.offered(command, "").words.filter { !$0.hasPrefix("-") } == ["friends", "people"])
            #expect(try await bash.offered(command, "fr").words == ["friends"])
        }

        @Test func `the parameters of the pipeline that are not given yet, without a space after them`() async throws {
            let bash = try await BashCompletion(in: WorkFolder(Self.config))

            let first = try await bash.offered("fetch", "friends", "")
            let second = try await bash.offered("fetch", "friends", "user", "=", "4", "")

            #expect(first.words == ["user=", "page="])
            #expect(first.options == "-o nospace +o filenames")
            #expect(second.words == ["page="])
            #expect(try await bash.offered("fetch", "friends", "user", "=").words == [])
            #expect(try await bash.offered("fetch", "friends", "user", "=", "p").words == [])
            #expect(try await bash.offered("fetch", "people", "").words == [])
            #expect(try await bash.offered("fetch", "--output", "raw", "friends", "p").words == ["page="])
        }

        @Test func `the sends of the file, their parameters, and its outboxes`() async throws {
            let bash = try await BashCompletion(in: WorkFolder(friendsWithSends))

            #expect(try await bash.offered("send", "").words.filter { !$0.hasPrefix("-") } == ["add_friend"])
            #expect(try await bash.offered("send", "add_friend", "").words.filter { !$0.hasPrefix("-") } == ["user="])
            #expect(try await bash.offered("send", "--swap", "").words == ["disk=", "api=", "add="])
            #expect(try await bash.offered("outbox", "").words.filter { !$0.hasPrefix("-") } == ["list", "retry", "drop", "flush"])
            #expect(try await bash.offered("outbox", "list", "--outbox", "").words == ["outbox"])
            #expect(try await bash.offered("outbox", "list", "--state", "he").words == ["held"])
            #expect(try await bash.offered("serve", "--allow-sends", "a").words == ["all", "add_friend"])
        }

        @Test func `the names of the tests beside the file, as an expression without spaces`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("pipeline.test.yaml", "tests:\n  - { name: a copy expires at 30s }\n  - { name: nobody's home }\n")
            let bash = try await BashCompletion(in: folder)

            #expect(try await bash.offered("test", "--filter", "").words == ["a.copy.expires.at.30s", "nobody.s.home"])
            #expect(try await bash.offered("test", "--filter", "a.c").words == ["a.copy.expires.at.30s"])
        }

        @Test func `help offers the commands and the fields, once`() async throws {
            let bash = try await BashCompletion(in: WorkFolder())

            #expect(try await bash.offered("help", "fet").words == ["fetch"])
            #expect(try await bash.offered("help", "tiers.ret").words == ["tiers.retry"])
            #expect(try await bash.offered("help", "stale_if").words == ["stale_if_error"])
            #expect(try await bash.offered("help", "fetch", "f").words == [])
            let words = try await bash.offered("help", "").words
            #expect(words.contains("serve") && words.contains("pipelines") && Set(words).count == words.count, "\(words)")
        }

        @Test func `a simulation offers the fields to vary and the sources that can be down`() async throws {
            let bash = try await BashCompletion(in: WorkFolder(Self.config))
            func offered(_ words: String...) async throws -> BashCompletion.Offer { try await bash.offered(["simulate"] + words) }

            #expect(try await offered("friends", "--vary", "memory.t").words == ["memory.ttl=", "memory.timeout="])
            #expect(try await offered("friends", "--vary", "memory.max_e").words == ["memory.max_entries="])
            #expect(try await offered("friends", "--vary", "api.ttl").words == [])
            let window = try await offered("friends", "--vary", "stale_i")
            #expect(window.words == ["stale_if_error="] && window.options == "-o nospace +o filenames")
            #expect(try await offered("friends", "--vary", "memory.ttl", "=", "").words == [])
            for option in ["--down", "--slow"] {
                let down = try await offered("friends", option, "")
                #expect(down.words == ["memory@", "disk@", "api@"] && down.options == "-o nospace +o filenames", "\(down)")
            }
            #expect(try await offered("people", "--down", "a").words == ["api@"])
        }

        @Test func `an order names each source once`() async throws {
            let bash = try await BashCompletion(in: WorkFolder(Self.config))

            #expect(try await bash.offered("fetch", "friends", "--order", "").words == ["memory", "disk", "api"])
            #expect(try await bash.offered("fetch", "friends", "--order", "memory,").words == ["memory,disk", "memory,api"])
            #expect(try await bash.offered("graph", "friends", "--order", "disk").words == ["disk", "disk,memory", "disk,api"])
            #expect(try await bash.offered("explain", "friends", "--order", "api,m").words == ["api,memory"])
        }

        @Test func `codes need no file, and those of warnings stand where only warnings can`() async throws {
            let bash = try await BashCompletion(in: WorkFolder())

            #expect(try await bash.offered("explain-code", "P00").words == ["P001", "P002", "P003", "P004", "P005"])
            #expect(try await bash.offered("explain-code", "P9").words == ["P901"])
            #expect(try await bash.offered("validate", "--allow", "P30").words == ["P301", "P302", "P304", "P308", "P309"])
            #expect(try await bash.offered("validate", "--deny", "P0").words == [])
        }

        @Test func `the file of each command that reads one`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("other.yaml", Self.config)
            let bash = try await BashCompletion(in: folder)

            for command in ["config", "explain", "graph", "fetch", "validate", "fmt", "serve"] {
                #expect(try await bash.offered(command, "-c", "oth").words == ["other.yaml"], "\(command)")
            }
        }

        @Test func `types of sources need no file`() async throws {
            let bash = try await BashCompletion(in: WorkFolder())

            #expect(
                try await bash.offered("sources", "").words.filter { !$0.hasPrefix("-") } == [
                    "memory", "file", "http", "sqlite", "redis", "sqlite_query", "outbox", "inline", "command", "websocket", "sse",
                    "poll", "watch",
                ])
            #expect(try await bash.offered("init", "memory,f").words == ["memory,file"])
        }

        @Test(arguments: [
            ["-c", "sub/other.yaml"], ["--config", "=", "sub/other.yaml"], ["-c", "'sub/other.yaml'"], ["-c", "~/other.yaml"],
        ])
        func `the file that -c names`(option: [String]) async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("sub/other.yaml", Self.config.replacing("friends:", with: "others:"))
            let bash = try await BashCompletion(in: folder)

            let words = ["fetch"] + option + ["o"]
            let offer = try await bash.offered(words, home: folder.url.appending(path: "sub").path)

            #expect(offer.words == ["others"])
        }

        @Test(arguments: ["missing.yaml", "broken.yaml", "wrong.yaml", "folder", "pipe", "/dev/tty", "/dev/zero", "''"])
        func `a file that cannot be used completes nothing, says nothing and does not wait`(path: String) async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("broken.yaml", "sources: [\n")
            try folder.write("wrong.yaml", Self.config.replacing("type: memory", with: "type: memry"))
            try folder.write("folder/file", "")
            #expect(mkfifo(folder.url.appending(path: "pipe").path, 0o600) == 0)
            // A writer that never writes: reading would wait for it.
            let writer = open(folder.url.appending(path: "pipe").path, O_RDWR)
            defer { close(writer) }
            let bash = try await BashCompletion(in: folder)

            for words in [["fetch", "-c", path, "f"], ["fetch", "-c", path, "friends", "u"], ["fetch", "-c", path, "x", "--order", ""]] {
                let offer = try await bash.offered(words)
                #expect(offer.words == [] && offer.errors == "")
            }
        }

        @Test func `a name that a shell would obey is not offered`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  memory: { type: memory }
                  $(touch owned-by-source): { type: memory }
                pipelines:
                  $(touch owned): { tiers: [memory] }
                  "`touch owned-too`": { tiers: [memory] }
                  "two words": { tiers: [memory] }
                  --order: { tiers: [memory] }
                  good-one: { tiers: [memory] }
                """)
            let bash = try await BashCompletion(in: folder)

            #expect(try await bash.offered("clear", "g").words == ["good-one"])
            #expect(try await bash.offered("clear", "t").words == [])
            #expect(try await bash.offered("fetch", "good-one", "--order", "").words == ["memory"])
            #expect(!folder.files(below: ".").contains { $0.contains("owned") })
        }

        @Test(arguments: ["bash", "zsh", "fish"]) func `prints a script for each shell`(shell: String) async throws {
            let ran = try await WorkFolder().run("completions", shell)

            #expect(ran.status == 0 && ran.errors == "")
            #expect(ran.text.hasSuffix("\n") && ran.text.contains("---completion fetch -- "))
            #expect(ran.text.contains("2>/dev/null"))
        }

        @Test func `another shell is wrong usage`() async throws {
            #expect(try await WorkFolder().run("completions", "tcsh").status == 64)
        }

        @Test func `the schema is printed, and needs no file`() async throws {
            let ran = try await WorkFolder().run("schema")

            let schema = try JSONSerialization.jsonObject(with: Data(ran.output)) as? [String: Any]
            #expect(ran.status == 0 && ran.errors == "")
            #expect(schema?["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        }
    }
}
