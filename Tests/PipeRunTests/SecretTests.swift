import Foundation
import Testing

@testable import PipelineServer

extension CommandLineTests {
    /// A token and a password from the environment show nowhere.
    @Suite struct SecretTests {
        static let config = """
            sources:
              api: { type: http, url: "http://joe:${PASSWORD}@127.0.0.1:${PORT}/friends", headers: { Authorization: "Bearer ${TOKEN}" } }
              late: { type: http, url: "${BASE}/late", timeout: 50ms }
            pipelines:
              friends: { tiers: [api, late] }
            """

        /// With characters that need escaping: the percent-encoded form must not show either.
        static let secrets = ["PASSWORD": "hunter2/ &pass", "TOKEN": "tok-53cr3t-\"en\""]
        static let traces = ["hunter2", "53cr3t", "hunter2%2F", Data("joe:hunter2/ &pass".utf8).base64EncodedString(), "basepass"]

        private func environment(_ origin: OddServer) -> [String: String] {
            Self.secrets.merging(["PORT": "\(origin.port)", "BASE": "http://joe:basepass@127.0.0.1:\(origin.port)"]) { $1 }
        }

        private func expectNoTrace(in ran: Ran, _ place: String) {
            for trace in Self.traces { #expect(!ran.everything.contains(trace), "\(place): \(ran.everything)") }
        }

        @Test func `reach the origin`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let config = Self.config.replacing("timeout: 50ms", with: "timeout: 50s")
                let ran = try await WorkFolder(config).run("fetch", "friends", "--order", "late", environment: environment(origin))
                #expect(ran.text == "[1]")
                let head = try #require(origin.heads.first)
                #expect(head.contains(Data("joe:basepass".utf8).base64EncodedString()))
            }
        }

        @Test(arguments: [
            OddServer.Reply.status(500), .end, .silence, .bytes("nonsense\r\n\r\n"), .value("no json hunter2/ &pass"),
            .bytes("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/hunter2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        ])
        func `show nowhere when a fetch fails`(reply: OddServer.Reply) async throws {
            try await OddServer.run(reply) { origin in
                let folder = try WorkFolder(Self.config)
                let environment = environment(origin)
                let arguments = ["fetch", "friends", "--timeout", "300ms"]
                for rest in [[], ["--trace"], ["--output", "envelope"], ["--trace", "--output", "envelope"]] {
                    let ran = try await folder.start(arguments + rest, environment: environment).ran()
                    #expect(ran.status == 1)
                    expectNoTrace(in: ran, "\(arguments + rest)")
                }
            }
        }

        @Test func `show nowhere when no server answers`() async throws {
            let environment = Self.secrets.merging(["PORT": "9", "BASE": "http://joe:basepass@nosuchhost.invalid"]) { $1 }
            let ran = try await WorkFolder(Self.config).run("fetch", "friends", "--trace", "--output", "envelope", environment: environment)

            #expect(ran.status == 1)
            expectNoTrace(in: ran, "fetch")
        }

        @Test func `show nowhere in drawings and diagnostics`() async throws {
            try await OddServer.run(.silence) { origin in
                let folder = try WorkFolder(Self.config)
                for arguments in [["graph"], ["graph", "--format", "mermaid"], ["validate"], ["validate", "--format", "json"]] {
                    let ran = try await folder.start(arguments, environment: environment(origin)).ran()
                    #expect(ran.status == 0, "\(ran.everything)")
                    expectNoTrace(in: ran, "\(arguments)")
                }
            }
        }

        @Test(arguments: [
            "url: \"http://joe:${PASSWORD}@\"", "url: \"${PASSWORD}\"", "url: \"ftp://joe:${PASSWORD}@host/\"",
            "url: \"http://joe:literal-hunter2@host:port/\"", "url: \"http://h/\", headers: { Authorization: \"hunter2 ${NONE}\" }",
            "url: \"http://h/\", headers: { Authorization: \"${PASSWORD}\", Authorization: x }",
            "url: \"http://h/\", headers: { \"bad name\": \"${PASSWORD}\" }", "url: \"http://h/\", headers: { A: [\"${PASSWORD}\"] }",
            "url: \"http://h/\", headers: \"${PASSWORD}\"", "url: \"http://h/\", headers: { A: \"${TOKEN}\\n${PASSWORD}\" }",
            "url: \"http://h/\", timeout: \"${PASSWORD}\"", "url: \"http://h/\", headers: { A: \"{hunter2}\" }",
        ])
        func `show nowhere in errors on their own line`(fields: String) async throws {
            let folder = try WorkFolder("sources:\n  api: { type: http, \(fields) }\npipelines:\n  friends: { tiers: [api] }\n")
            for arguments in [["validate"], ["validate", "--format", "json"], ["fetch", "friends"], ["graph"]] {
                let ran = try await folder.start(arguments, environment: Self.secrets).ran()
                expectNoTrace(in: ran, "\(arguments)")
            }
        }

        @Test(arguments: [
            "url: \"http://joe:literal-hunter2@127.0.0.1/\"", "url: \"http://literal-hunter2@127.0.0.1/\"",
            "url: \"http://h/\", headers: { Authorization: literal-hunter2 }",
            "url: \"http://h/\", headers: { X-Api-Key: \"literal-\\x68unter2\" }",
            "url: \"http://h/\", headers: { cookie: &a literal-hunter2, b: *a }",
        ]) func `a credential that is written in the file is masked in its own warning`(fields: String) async throws {
            let folder = try WorkFolder("sources:\n  api: { type: http, \(fields) }\npipelines:\n  friends: { tiers: [api] }\n")
            for arguments in [["validate"], ["validate", "--format", "json"], ["validate", "--deny", "P309"]] {
                let ran = try await folder.start(arguments, environment: [:]).ran()
                #expect(ran.text.contains("P309") && !ran.everything.contains("unter2"), "\(ran.everything)")
            }
        }

        @Test func `show nowhere in the answers of serve`() async throws {
            try await OddServer.run(.status(500)) { origin in
                let folder = try WorkFolder(Self.config)
                let ran = try await folder.serving(environment: environment(origin)) { server in
                    let answer = try await server.get("/friends")
                    let all = answer.text + answer.headers.map { "\($0.key): \($0.value)" }.joined()
                    #expect(answer.status == 502)
                    for trace in Self.traces { #expect(!all.contains(trace), "\(all)") }
                }
                expectNoTrace(in: ran, "serve")
            }
        }

        /// In a path and in a query, where a URL encodes it.
        static let named = """
            sources:
              disk: { type: file, path: ".cache/${CACHE_SECRET}/{key}.json" }
              api: { type: http, url: "http://127.0.0.1:${PORT}/bot${BOT_TOKEN}/friends?k=${API_KEY}", query: { t: "${BOT_TOKEN}" } }
              hook: { type: http, url: "http://127.0.0.1:${PORT}/${file:secrets/hook}", timeout: 50ms }
            pipelines:
              friends: { description: "with ${BOT_TOKEN}", tiers: [disk, api, hook] }
            """
        static let namedValues = ["CACHE_SECRET": "c4che$here", "BOT_TOKEN": "1:b0t/é", "API_KEY": "k3y+here"]

        private static func folder() throws -> WorkFolder {
            let folder = try WorkFolder(named)
            try folder.write("secrets/hook", "h00k-path\n")
            try folder.write("other.yaml", named.replacing("/friends?", with: "/people?"))
            return folder
        }

        private func expectNoName(in text: String, _ place: String) {
            for trace in ["c4che", "b0t", "k3y", "h00k"] { #expect(!text.contains(trace), "\(place): \(text)") }
        }

        @Test func `a variable or file with the name of a credential reaches the origin`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let values = Self.namedValues.merging(["PORT": "\(origin.port)"]) { $1 }
                let folder = try Self.folder()
                try folder.write("pipeline.yaml", Self.named.replacing("timeout: 50ms", with: "timeout: 50s"))

                let api = try await folder.run("fetch", "friends", "--order", "api", environment: values)
                let hook = try await folder.run("fetch", "friends", "--order", "hook", environment: values)

                #expect(api.text == "[1]" && hook.text == "[1]")
                #expect(
                    origin.heads.map { $0.prefix { $0 != "\r\n" } } == [
                        "GET /bot1%3Ab0t%2F%C3%A9/friends?k=k3y%2Bhere&t=1%3Ab0t%2F%C3%A9 HTTP/1.1", "GET /h00k-path HTTP/1.1",
                    ])
            }
        }

        @Test func `as the default of a parameter it shows nowhere either`() async throws {
            try await OddServer.run(.status(404)) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: "pipeline.yaml/{key}.json" }
                      api: { type: http, url: "http://127.0.0.1:${PORT}/{user}/friends" }
                    pipelines:
                      friends: { parameters: { user: { default: "${BOT_TOKEN}" } }, tiers: [{ source: disk, debounce: 1s }, api] }
                    """)
                for port in ["\(origin.port)", "9"] {
                    let values = Self.namedValues.merging(["PORT": port]) { $1 }
                    for arguments in [["--trace", "--output", "envelope"], ["--trace"], []] {
                        let ran = try await folder.start(["fetch", "friends"] + arguments, environment: values).ran()
                        #expect(ran.status == (port == "9" ? 1 : 3))
                        expectNoName(in: ran.everything, "\(arguments)")
                    }
                    let removed = try await folder.run("remove", "friends", environment: values)
                    let put = try await folder.start(["put", "friends"], environment: values, input: Array("[1]".utf8)).ran()
                    for format in ["text", "json", "csv", "svg"] {
                        let compared = try await folder.start(
                            ["compare", "friends", "--order", "disk,api", "--order", "api", "--duration", "100ms", "--format", format],
                            environment: values
                        ).ran()
                        expectNoName(in: compared.everything, "compare \(format)")
                    }
                    let served = try await folder.serving("pipeline.yaml", "--log", "debug", environment: values) { server in
                        expectNoName(in: try await server.get("/friends").text, "serve")
                    }
                    for ran in [removed, put, served] { expectNoName(in: ran.everything, "\(port)") }
                    #expect(served.errors.contains("key=\"friends,user=***\""), "\(served.errors)")
                }
                #expect(origin.heads.first?.hasPrefix("GET /1%3Ab0t%2F%C3%A9/friends ") == true)
            }
        }

        @Test func `and shows nowhere`() async throws {
            try await OddServer.run(.status(500)) { origin in
                let values = Self.namedValues.merging(["PORT": "\(origin.port)"]) { $1 }
                let folder = try Self.folder()
                let commands = [
                    ["fetch", "friends", "--trace", "--output", "envelope"], ["fetch", "friends"], ["validate"],
                    ["validate", "--format", "sarif"],
                    ["validate", "--level", "connect"], ["validate", "--level", "connect", "--format", "json"], ["config"], ["explain"],
                    ["explain", "--format", "json"], ["remove", "friends"], ["clear", "friends"], ["validate", "--fix", "--diff"],
                    ["graph", "--diff", "other.yaml"], ["graph", "--diff", "other.yaml", "--format", "json"],
                ]
                for arguments in commands + ["text", "mermaid", "dot", "svg", "json"].map({ ["graph", "--format", $0] }) {
                    let ran = try await folder.start(arguments, environment: values).ran()
                    #expect(!ran.everything.isEmpty || arguments.contains("--diff"), "\(arguments)")
                    expectNoName(in: ran.everything, "\(arguments)")
                }
                let ran = try await folder.serving("pipeline.yaml", "--log", "debug", environment: values) { server in
                    for path in ["/friends", "/-/metrics", "/nowhere"] {
                        let answer = try await server.get(path)
                        expectNoName(in: answer.text + answer.headers.map { "\($0.key): \($0.value)" }.joined(), path)
                    }
                }
                expectNoName(in: ran.everything, "serve")
            }
        }
    }
}
