import Foundation
import Testing

extension ServingTests {
    /// How `serve` ends while clients wait.
    @Suite struct ServeStoppingTests {
        private static let large = """
            sources:
              flat: { type: file, path: "flat/{user}", read_only: true }
            pipelines:
              bytes: { parameters: [user], format: bytes, tiers: [flat] }
            """

        @Test(arguments: [SIGTERM, SIGINT])
        func `an answer that is being sent is sent to its end`(signal: Int32) async throws {
            let folder = try WorkFolder(Self.large)
            let size = 50 << 20
            try folder.write("flat/1", [UInt8](repeating: 7, count: size))

            let ran = try await folder.serving("pipeline.yaml", "--drain", "50s") { server in
                let wire = try Wire(server, buffer: 65_536)
                try wire.send(Wire.head("/bytes?user=1"))
                let first = try await blocking { try wire.socket.receive() ?? [] }
                server.process.send(signal)
                try await refused(server.port)
                let rest = try await blocking { try wire.all() }

                let answer = try Answer(first + rest)
                #expect(answer["Content-Length"] == "\(size)" && answer.body.count == size)
            }
            #expect(ran.status == 0 && ran.errors.split(separator: "\n").count == 1, "\(ran.errors)")
        }

        @Test(arguments: [SIGUSR1, SIGUSR2])
        func `a signal that means nothing to it does not end it`(signal: Int32) async throws {
            let folder = try WorkFolder(Self.large)
            try folder.write("flat/1", "[1]")

            let ran = try await folder.serving { server in
                for _ in 1...2 {
                    server.process.send(signal)
                    let answer = try await server.get("/bytes?user=1")
                    #expect(answer.text == "[1]")
                }
                server.process.send(SIGTERM)
            }

            #expect(ran.status == 0)
        }

        /// A file that takes long to understand.
        private static func longFile(_ count: Int = 30_000) -> String {
            "sources: { flat: { type: file, path: flat, read_only: true } }\npipelines:\n"
                + (0..<count).map { "  p\($0): { tiers: [flat] }\n" }.joined()
        }

        @Test func `a signal to end waits for no file that is read again`() async throws {
            let folder = try WorkFolder(Self.large)

            let ran = try await folder.serving { server in
                try folder.write("pipeline.yaml", Self.longFile())
                server.process.send(SIGHUP)
                server.process.send(SIGTERM)
            }

            #expect(ran.status == 0 && !ran.errors.contains("reloaded"), "\(ran.errors)")
        }

        @Test func `a good file takes over without waiting for a long one before it`() async throws {
            let folder = try WorkFolder(Self.large)
            try folder.write("flat/1", "[1]")
            try folder.write("other", "[2]")

            let ran = try await folder.serving { server in
                try folder.write("pipeline.yaml", Self.longFile())
                server.process.send(SIGHUP)
                // It is at it when this is answered.
                #expect(try await server.get("/bytes?user=1").status == 200)
                try folder.write(
                    "pipeline.yaml",
                    "sources: { flat: { type: file, path: other, read_only: true } }\npipelines: { other: { tiers: [flat] } }")
                server.process.send(SIGHUP)
                _ = try await blocking { try server.process.errors.first { $0.contains("reloaded") ? true : nil } }
                let answer = try await server.get("/other")
                #expect(answer.text == "[2]")
                server.process.send(SIGTERM)
            }

            #expect(ran.status == 0 && ran.errors.matches(of: /reloaded/).count == 1, "\(ran.errors)")
        }

        @Test func `what is not sent within the bound is cut, and the process ends`() async throws {
            let folder = try WorkFolder(Self.large)
            try folder.write("flat/1", [UInt8](repeating: 7, count: 50 << 20))

            let ran = try await folder.serving("pipeline.yaml", "--drain", "100ms") { server in
                let wire = try Wire(server, buffer: 65_536)
                try wire.send(Wire.head("/bytes?user=1"))
                _ = try await blocking { try wire.socket.receive() }
                server.process.send(SIGTERM)
                // Nothing is read on, and it ends all the same.
                try await refused(server.port)
            }
            #expect(ran.status == 0)
        }

        @Test func `a second signal ends at once, and names what is not written`() async throws {
            try await OddServer.run({ request, _ in request.contains("user=2") ? .silence : .value("[1]") }) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: ".cache/{key}.json" }
                      api: { type: http, url: "${ORIGIN}", query: { user: "{user}" } }
                    pipelines:
                      friends: { parameters: [user], tiers: [ { source: disk, ttl: 10h, debounce: 1h }, { source: api, timeout: 10m } ] }
                    """)
                // The cache cannot be written, so that what waits goes on waiting.
                try folder.write(".cache", "in the way")
                let ran = try await folder.serving("pipeline.yaml", "--drain", "10m", environment: ["ORIGIN": origin.url]) { server in
                    #expect(try await server.get("/friends?user=1").status == 200)
                    let waiting = try Request("GET", "/friends?user=2", port: server.port)
                    try await origin.asked(2)
                    server.process.send(SIGTERM)
                    try await refused(server.port)
                    server.process.send(SIGINT)
                    // The end of the process, not of its answer.
                    await #expect(throws: TooLong.self) { try await blocking { try waiting.answer() } }
                }

                #expect(ran.status == 130)
                #expect(ran.errors.contains("not written to `disk`: `friends,user=1`"), "\(ran.errors)")
            }
        }

        @Test func `NC-35 requests of low priority are ended at once, others are answered, and a write that waits is made`() async throws {
            let reply: @Sendable (String, Int) -> OddServer.Reply = { request, _ in
                if request.contains("user=0") { return .value("[0]") }
                return request.contains("user=6") ? .held(.value("[6]")) : .silence
            }
            try await OddServer.run(reply) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: ".cache/{key}.json" }
                      api: { type: http, url: "${ORIGIN}", query: { user: "{user}" } }
                    pipelines:
                      friends: { parameters: [user], tiers: [ { source: disk, ttl: 10h, debounce: 1h }, { source: api, timeout: 10m } ] }
                    """)
                let ran = try await folder.serving("pipeline.yaml", "--drain", "10m", environment: ["ORIGIN": origin.url]) { server in
                    #expect(try await server.get("/friends?user=0").status == 200)
                    let waiting = try (1...5).map { user in
                        try Request("GET", "/friends?user=\(user)", headers: ["Priority": "u=5"], port: server.port)
                    }
                    // Half of the first limit: the others wait for a permit. Before that, a connection could not have been accepted yet.
                    try await origin.asked(4)
                    try await until("two requests to wait") {
                        let metrics = try PrometheusText(try await server.get("/-/metrics").text)
                        return metrics["pipe_run_origin_requests_waiting", ["origin": origin.url]] == 2
                    }
                    let normal = try Request("GET", "/friends?user=6", port: server.port)
                    try await origin.asked(5)
                    #expect(folder.read(".cache/friends,user=0.json") == nil)

                    server.process.send(SIGTERM)

                    try await origin.left(3)
                    for request in waiting {
                        let answer = try await blocking { try request.answer() }
                        #expect(answer.status == 503 && answer["Connection"] == "close", "\(answer.text)")
                    }
                    origin.release()
                    let answer = try await blocking { try normal.answer() }
                    #expect(answer.status == 200 && answer.text == "[6]", "\(answer.text)")
                }
                #expect(ran.status == 0, "\(ran.errors)")
                #expect(folder.read(".cache/friends,user=0.json") == "[0]")
                // The connections end side by side: one that waits may take the place of another in between.
                #expect(5...7 ~= origin.count)
            }
        }

        @Test func `ready says that it takes requests, and health that it runs`() async throws {
            try await WorkFolder(ServeTests.formats).serving { server in
                for (path, word) in [("/-/health", "ok"), ("/-/ready", "ready")] {
                    let answer = try await server.get(path)
                    #expect(
                        answer.status == 200 && answer.text == "{\"status\":\"\(word)\"}\n" && answer["Content-Type"] == "application/json")
                }
            }
        }

        /// Returns when nothing listens at `port` any more.
        private func refused(_ port: Int) async throws {
            try await until("port \(port) to be closed") {
                guard let connection = try? Socket.connect(to: port) else { return true }
                connection.shut()
                return false
            }
        }
    }
}
