import Foundation
import Pipeline
import PipelineLive
import Testing

@testable import PipelineServer

extension ServingTests {
    /// `serve` reads its configuration again while it runs.
    @Suite struct ServeReloadTests {
        /// Two pipelines over one origin; `extra` are further pipelines.
        private static func config(friends: String = "tiers: [ { source: memory, ttl: 10h }, api ]", extra: String = "") -> String {
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: "${ORIGIN}/{key}" }
            pipelines:
              friends: { parameters: [user], \(friends) }
              others: { tiers: [api] }
            \(extra)
            """
        }

        private func metrics(_ server: Serving) async throws -> PrometheusText {
            try PrometheusText(try await server.get("/-/metrics").text)
        }

        /// Sends SIGHUP, and returns when the server has read its file again.
        private func reload(_ server: Serving, succeeding: Bool = true) async throws {
            let outcome = ["outcome": succeeding ? "success" : "failed"]
            let before = try await metrics(server)["pipe_run_config_reloads_total", outcome] ?? 0
            server.process.send(SIGHUP)
            let limit = Date(timeIntervalSinceNow: patience)
            while try await metrics(server)["pipe_run_config_reloads_total", outcome] ?? 0 <= before {
                guard Date() < limit else { throw TooLong(description: "no reload: \(server.process.errors.text)") }
            }
        }

        @Test func `LV-48 a reload adds, changes and removes pipelines; what stays keeps its copies, and what waits goes on`() async throws
        {
            try await OddServer.run({ request, number in request.contains("held") ? .held(.value("[0]")) : .value("[\(number)]") }) {
                origin in
                let folder = try WorkFolder(Self.config())
                let ran = try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    let first = try await server.get("/friends?user=1").text
                    let waiting = try Request("GET", "/friends?user=held", port: server.port)
                    try await origin.asked(2)
                    #expect(try await server.get("/new").status == 404)

                    try folder.write("pipeline.yaml", "# moved\n\n" + Self.config(extra: "  new: { tiers: [api] }"))
                    try await reload(server)

                    #expect(try await server.get("/new").status == 200)
                    #expect(try await server.get("/friends?user=1").text == first, "the copy in memory is still there")
                    try folder.write(
                        "pipeline.yaml", Self.config(friends: "tiers: [api]").replacing("  others: { tiers: [api] }\n", with: ""))
                    try await reload(server)
                    #expect(try await server.get("/others").status == 404)
                    #expect(try await server.get("/new").status == 404)
                    #expect(try await server.get("/friends?user=1").text != first)
                    origin.release()
                    #expect(try await blocking { try waiting.answer() }.text == "[0]", "it ends on the configuration that it began with")

                    let metrics = try await metrics(server)
                    #expect(metrics["pipe_run_config_reload_success", [:]] == 1)
                    #expect(metrics["pipe_run_loads_under_way", ["pipeline": "others"]] == nil, "it is gone")
                    let time = try #require(metrics["pipe_run_config_reload_timestamp_seconds", [:]])
                    #expect(abs(time - Date().timeIntervalSince1970) < patience)
                    server.process.send(SIGTERM)
                }
                #expect(ran.status == 0, "\(ran.everything)")
            }
        }

        @Test func `a file that cannot be used is told on standard error, and changes nothing`() async throws {
            try await OddServer.run({ _, number in .value("[\(number)]") }) { origin in
                let folder = try WorkFolder(Self.config())
                let ran = try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    #expect(try await metrics(server)["pipe_run_config_reload_success", [:]] == nil)
                    let first = try await server.get("/friends?user=1").text
                    try folder.write("pipeline.yaml", Self.config(friends: "tiers: [memori, api]"))
                    try await reload(server, succeeding: false)

                    #expect(try await server.get("/friends?user=1").text == first)
                    #expect(try await metrics(server)["pipe_run_config_reload_success", [:]] == 0)
                    try await until("what is wrong with it") { server.process.errors.text.contains("did you mean `memory`?") }

                    try FileManager.default.removeItem(at: folder.url.appending(path: "pipeline.yaml"))
                    try await reload(server, succeeding: false)
                    #expect(try await server.get("/friends?user=1").text == first)
                    try folder.write("pipeline.yaml", Self.config())
                    try await reload(server)
                    #expect(try await metrics(server)["pipe_run_config_reload_success", [:]] == 1)
                    #expect(try await server.get("/friends?user=1").text == first, "it is declared as before")
                    server.process.send(SIGTERM)
                }
                #expect(ran.status == 0 && ran.errors.contains("cannot read"), "\(ran.errors)")
            }
        }

        @Test func `10,000 requests while the file is swapped 50 times, with a bad one in between: none fails, and connections stay`()
            async throws
        {
            try await OddServer.run({ _, _ in .value("[1]") }) { origin in
                let folder = try WorkFolder(Self.config())
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    let wires = try (0..<10).map { _ in try Wire(server) }
                    try await withThrowingTaskGroup { group in
                        for wire in wires {
                            group.addTask {
                                try await blocking {
                                    for number in 0..<1000 {
                                        // Every tenth asks the origin.
                                        try wire.send(Wire.head(number % 10 == 0 ? "/others" : "/friends?user=\(number % 7)"))
                                        let answer = try wire.answer()
                                        guard answer.status == 200, answer.text == "[1]" else {
                                            throw TooLong(description: "\(answer.status) \(answer.text)")
                                        }
                                    }
                                }
                            }
                        }
                        for swap in 1...50 {
                            let bad = swap % 10 == 0
                            let extra = "  p\(swap): { tiers: [api] }"
                            let friends = swap % 2 == 0 ? "stale_if_error: \(swap)s, tiers: [ { source: memory, ttl: 10h }, api ]" : nil
                            let text = friends.map { Self.config(friends: $0, extra: extra) } ?? Self.config(extra: extra)
                            try folder.write("pipeline.yaml", bad ? "pipelines: [" : text)
                            try await reload(server, succeeding: !bad)
                        }
                        try await group.waitForAll()
                    }
                    // A new client for each swap that succeeds would connect 45 times at least. One opens ten, and another where one is not back yet.
                    #expect(origin.connectionCount < 45, "the client of `api` lives on: \(origin.connectionCount) connections")
                    server.process.send(SIGTERM)
                }
            }
        }

        @Test func `metrics have the pipelines that there are, and none that a reload took away`() async throws {
            try await OddServer.run({ request, _ in request.contains("held") ? .held(.value("[0]")) : .value("[1]") }) { origin in
                func config(_ name: String) -> String { Self.config(extra: "  \(name): { parameters: [user], tiers: [ memory, api ] }") }
                let folder = try WorkFolder(config("named0"))
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    let late = try Request("GET", "/named0?user=held", port: server.port)
                    try await origin.asked(1)
                    for number in 1...5 {
                        _ = try await server.get("/named\(number - 1)?user=1")
                        try folder.write("pipeline.yaml", config("named\(number)"))
                        try await reload(server)
                    }
                    // A load of a pipeline that is gone ends.
                    origin.release()
                    _ = try await blocking { try late.answer() }
                    _ = try await server.get("/named5?user=1")

                    let metrics = try await metrics(server)
                    let names = Set(metrics.order.compactMap { $0.labels["pipeline"] })
                    #expect(names == ["friends", "others", "named5", ""], "\(names)")
                    #expect(metrics["pipe_run_requests_total", ["pipeline": "", "status": "200"]] == 1, "that of the late load")
                    server.process.send(SIGTERM)
                }
            }
        }

        @Test func `of a feed that is gone no key is counted any more, and one that comes back is counted again`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let feeds = "  ticking: { tiers: [api], live: [tick] }"
                func config(_ extra: String) -> String {
                    Self.config(extra: extra).replacing("pipelines:", with: "  tick: { type: poll, every: 1h }\npipelines:")
                }
                let folder = try WorkFolder(config(feeds))
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    try await counted(1, ["live"], on: server)
                    try folder.write("pipeline.yaml", config(""))
                    try await reload(server)
                    let states = FeedStatus.State.allCases.map(\.rawValue)
                    try await counted(0, states, on: server)
                    try folder.write("pipeline.yaml", config(feeds))
                    try await reload(server)
                    try await counted(1, ["live"], on: server)
                    try await counted(0, states.filter { $0 != "live" }, on: server)
                    server.process.send(SIGTERM)
                }
            }
        }

        /// Returns when so many keys are counted in each of these states of the feed.
        private func counted(_ count: Double, _ states: [String], on server: Serving) async throws {
            try await until("\(count) keys in each of the states \(states)") {
                let metrics = try await metrics(server)
                return states.allSatisfy {
                    metrics["pipe_run_feeds", ["pipeline": "ticking", "source": "tick", "state": $0]] ?? 0 == count
                }
            }
        }

        @Test func `with --watch-config a changed file is read, and so is a file that it names`() async throws {
            try await OddServer.run({ request, _ in .value("\"\(request.contains("Bearer two") ? 2 : 1)\"") }) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      api: { type: http, url: "${ORIGIN}", headers: { Authorization: "Bearer ${file:token.txt}" } }
                    pipelines:
                      friends: { tiers: [api] }
                    """)
                try folder.write("token.txt", "one")
                try await folder.serving("pipeline.yaml", "--watch-config", environment: ["ORIGIN": origin.url]) { server in
                    #expect(try await server.get("/friends").text == "\"1\"")
                    try folder.write("token.txt", "two")
                    try await answer("\"2\"", to: "/friends", from: server)
                    let text = try #require(folder.read("pipeline.yaml"))
                    try folder.write("next.yaml", text + "\n  more: { tiers: [api] }\n")
                    #expect(rename(folder.url.appending(path: "next.yaml").path, folder.url.appending(path: "pipeline.yaml").path) == 0)
                    try await answer("\"2\"", to: "/more", from: server)
                    try await until("two reloads") {
                        try await metrics(server)["pipe_run_config_reloads_total", ["outcome": "success"]] == 2
                    }
                }
            }
        }

        private func answer(_ text: String, to target: String, from server: Serving) async throws {
            try await until("\(text) from \(target)") { try await server.get(target).text == text }
        }

        @Test func `what waits for a cache that the new file does not have is written`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: ".cache/{key}.json" }
                      api: { type: http, url: "${ORIGIN}" }
                    pipelines:
                      friends: { tiers: [ { source: disk, ttl: 10h, debounce: 1h }, api ] }
                    """)
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    #expect(try await server.get("/friends").status == 200)
                    #expect(folder.read(".cache/friends.json") == nil)
                    try folder.write(
                        "pipeline.yaml", "sources: { api: { type: http, url: \"${ORIGIN}\" } }\npipelines: { friends: { tiers: [api] } }")
                    try await reload(server)
                    try await until("the write") { folder.read(".cache/friends.json") == "[1]" }
                    server.process.send(SIGTERM)
                }
            }
        }

        @Test func `a secret of the file before is masked as well as one of the file now`() async throws {
            try await OddServer.run({ _, _ in .bytes("HTTP/1.1 500 No\r\nContent-Length: 26\r\n\r\nfirst-s3cret second-s3cret") }) {
                origin in
                func text(_ token: String) -> String {
                    """
                    sources:
                      api: { type: http, url: "${ORIGIN}", headers: { Authorization: "\(token)" } }
                    pipelines:
                      friends: { tiers: [api] }
                    """
                }
                let folder = try WorkFolder(text("first-s3cret"))
                let ran = try await folder.serving("pipeline.yaml", "--log", "debug", environment: ["ORIGIN": origin.url]) { server in
                    try folder.write("pipeline.yaml", text("second-s3cret"))
                    try await reload(server)
                    #expect(try await server.get("/friends").text.contains("s3cret") == false)
                    server.process.send(SIGTERM)
                }
                #expect(!ran.errors.contains("s3cret") && ran.errors.contains("***"), "\(ran.errors)")
            }
        }

        @Test func `standard input is read once`() async throws {
            let ran = try await WorkFolder().run("serve", "-c", "-", "--watch-config", input: Array(Self.config().utf8))
            #expect(ran.status == 64 && ran.errors.contains("--watch-config needs a file"))
        }
    }
}
