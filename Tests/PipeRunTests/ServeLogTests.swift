import Foundation
import PipelineConfig
import Testing

extension ServingTests {
    /// The log of `serve`.
    @Suite struct ServeLogTests {
        private struct Line: Decodable {
            let time: String
            let level: String
            let event: String
            let method: String?
            let target: String?
            let status: Int?
            let bytes: Int?
            let ms: Double?
            let client: String?
            let outcome: String?
            let reason: String?
            let help: String?
            let code: String?
            let line: Int?
        }

        private func lines(_ ran: Ran) throws -> [Line] {
            try Self.everyLine(ran.errors).filter { !$0.event.hasPrefix("serving on") }
        }

        private static func everyLine(_ errors: String) throws -> [Line] {
            try errors.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        }

        @Test func `from the level of information on each request is a line, as JSON where that is asked for`() async throws {
            let folder = try WorkFolder(ServeTests.formats)
            try folder.write("flat/1", "[1]")
            let ran = try await folder.serving("pipeline.yaml", "--log", "info", "--log-format", "json") { server in
                for target in ["/friends?user=1", "/friends?user=%22%0a", "/-/health"] { _ = try await server.get(target) }
            }

            let lines = try lines(ran)
            #expect(lines.map(\.event) == ["request", "request"] && lines.map(\.status) == [200, 404], "\(ran.errors)")
            let first = try #require(lines.first)
            #expect(first.level == "info" && first.method == "GET" && first.target == "/friends?user=1" && first.client == "127.0.0.1")
            #expect(first.bytes ?? 0 > 100 && first.ms ?? -1 >= 0 && first.outcome == nil)
            #expect(first.time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }

        @Test func `as JSON every line is an object: the address, a file that cannot be read again, and the one that can`() async throws {
            let folder = try WorkFolder(ServeTests.formats)
            let ran = try await folder.serving("pipeline.yaml", "--log-format", "json") { server in
                func isSaid(_ words: String) async throws {
                    _ = try await blocking { try server.process.errors.first { $0.contains(words) ? true : nil } }
                }
                try folder.write("pipeline.yaml", ServeTests.formats + "\n  odd: { tiers: [nobody] }\n")
                server.process.send(SIGHUP)
                try await isSaid("not reloaded")
                try folder.write("pipeline.yaml", ServeTests.formats)
                server.process.send(SIGHUP)
                try await isSaid("\"reloaded ")
                server.process.send(SIGTERM)
            }

            let lines = try Self.everyLine(ran.errors)
            #expect(lines.map(\.level) == ["notice", "error", "error", "notice"], "\(ran.errors)")
            #expect(lines.first?.event.wholeMatch(of: /serving on http:\/\/127\.0\.0\.1:[0-9]+/) != nil)
            #expect(lines.dropFirst().first.map { $0.code?.hasPrefix("P") == true && ($0.line ?? 0) > 1 && $0.help != nil } == true)
            #expect(lines.dropFirst(2).first?.help == "the configuration before stays in use")
        }

        private static let refusals: [(config: String, options: [String], status: Int32)] = [
            ("sources: [", [], 2), ("pipelines: { odd: { tiers: [nobody, nowhere] } }", [], 2),
            (ServeTests.formats, ["--bogus"], 64), (ServeTests.formats, ["--port", "70000"], 64),
            (ServeTests.formats, ["--log", "loud"], 64),
            (ServeTests.formats, ["-c", "missing.yaml"], 2), (ServeTests.formats, ["--swap", "nobody=error"], 64),
            (ServeTests.formats, ["--port", "0", "--record", "no/folder/here"], 1), (ServeTests.formats, ["--host", "256.0.0.1"], 1),
        ]

        @Test(arguments: refusals)
        func `as JSON also what keeps it from serving is objects alone`(config: String, options: [String], status: Int32) async throws {
            let folder = try WorkFolder(config)
            for format in [["--log-format", "json"], ["--log-format=json"]] {
                let process = try folder.start(["serve"] + format + options)
                let ran = try await process.ran()

                let lines = try Self.everyLine(ran.errors)
                #expect(ran.status == status && !lines.isEmpty && lines.allSatisfy { $0.level == "error" }, "\(ran.status) \(ran.errors)")
            }
        }

        @Test func `the client is the one that a trusted proxy names`() async throws {
            let folder = try WorkFolder(ServeTests.formats)
            try folder.write("flat/1", "[1]")
            let ran = try await folder.serving(
                "pipeline.yaml", "--log", "info", "--log-format", "json", "--trust-proxy", "127.0.0.1", "--trust-proxy", "10.0.0.2"
            ) { server in
                _ = try await server.get("/friends?user=1", headers: ["X-Forwarded-For": "1.1.1.1, 203.0.113.7, 10.0.0.2"])
            }
            #expect(try lines(ran).map(\.client) == ["203.0.113.7"], "\(ran.errors)")

            let refused = try await folder.run("serve", "--port", "0", "--trust-proxy", "10.0.0.0/8")
            #expect(refused.status == 64 && refused.errors.contains("--trust-proxy 10.0.0.2"), "\(refused.errors)")
        }

        @Test func `what is no request is a line that says why, without the bytes of the client`() async throws {
            let folder = try WorkFolder(ServeTests.formats)
            let ran = try await folder.serving("pipeline.yaml", "--log", "info", "--log-format", "json") { server in
                for text in [
                    "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: \u{9b}31m\r\n\r\n",
                ] { _ = try await Wire.exchange(text, with: server) }
            }

            let lines = try lines(ran)
            #expect(lines.map(\.status) == [400, 400, 400], "\(ran.errors)")
            #expect(
                lines.prefix(2).map(\.reason) == [
                    "this is a TLS handshake: this port speaks plain HTTP",
                    "this is HTTP/2 with prior knowledge: this server speaks HTTP/1.1",
                ])
            #expect(ran.errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        }

        @Test func `a client that left is a line with 499`() async throws {
            try await OddServer.run(.silence) { origin in
                let folder = try WorkFolder(threeTiers)
                let ran = try await folder.serving(
                    "pipeline.yaml", "--log", "info", "--log-format", "json", environment: ["ORIGIN": origin.url]
                ) { server in
                    let request = try Request("GET", "/friends", port: server.port)
                    try await origin.asked()
                    request.abandon()
                    try await origin.left()
                    _ = try await blocking { try server.process.errors.first { $0.contains("499") ? true : nil } }
                }
                #expect(try lines(ran).filter { $0.event == "request" }.map(\.outcome) == ["left"])
            }
        }

        @Test func `secrets in a target are masked, and a long one is cut`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      api: { type: http, url: "${ORIGIN}", headers: { Authorization: "${TOKEN}" } }
                    pipelines:
                      friends: { parameters: [user], tiers: [api] }
                    """)
                let environment = ["ORIGIN": origin.url, "TOKEN": "s3cr3t-t0ken"]
                let ran = try await folder.serving("pipeline.yaml", "--log", "info", environment: environment) { server in
                    for user in ["s3cr3t-t0ken", String(repeating: "x", count: 20_000)] {
                        let answer = try await server.get("/friends?user=\(user)")
                        #expect(answer.status == 200)
                    }
                }
                #expect(ran.errors.contains("user=***") && !ran.errors.contains("s3cr3t"), "\(ran.errors)")
                #expect(ran.errors.utf8.count < 3_000)
            }
        }

        @Test func `a log that nobody reads holds up no request, and one signal ends the server`() async throws {
            let folder = try WorkFolder(ServeTests.formats)
            try folder.write("flat/1", "[1]")
            // More than a pipe takes, and less than what may wait.
            let target = "/friends?user=" + String(repeating: "x", count: 2_000)
            let ran = try await folder.serving("pipeline.yaml", "--log", "info") { server in
                server.process.errors.hold()
                for _ in 0..<400 {
                    let answer = try await server.get(target)
                    #expect(answer.status == 404)
                }
                let health = try await server.get("/-/health")
                #expect(health.status == 200)
                server.process.send(SIGTERM)
            }
            #expect(ran.status == 0)
            #expect(ran.errors.contains("status=404"))
        }

        @Test func `a format of the log that is none ends with 64`() async throws {
            let ran = try await WorkFolder(ServeTests.formats).run("serve", "--port", "0", "--log-format", "xml")

            #expect(ran.status == 64 && ran.errors.contains("--log-format") && ran.errors.contains("json"), "\(ran.errors)")
        }
    }
}
