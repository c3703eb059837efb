import Foundation
import Testing

@testable import PipelineServer

extension ServingTests {
    /// Many clients at once that do what servers do not like, and one that wants its answer.
    @Suite(.serialized) struct ServeCrowdTests {
        private static let config = """
            sources:
              memory: { type: memory }
              api: { type: http, url: "${ORIGIN}/{user}" }
              flat: { type: file, path: flat, read_only: true }
            pipelines:
              friends: { parameters: [user], tiers: [ { source: memory, ttl: 1h }, { source: api, timeout: 10m } ] }
              large: { format: bytes, tiers: [ { source: memory, ttl: 1h }, flat ] }
            """

        /// Starts `serve` with room for so many descriptors.
        private func serving(
            descriptors: Int, in folder: WorkFolder, environment: [String: String] = [:], _ body: (Serving) async throws -> Void
        ) async throws -> Ran {
            let process = try PipeRunProcess(
                ["serve", "--port", "0"], in: folder, environment: environment,
                under: ["sh", "-c", "ulimit -n \(descriptors); exec \"$@\"", "sh"])
            do {
                let port = try await blocking {
                    try process.errors.first { $0.firstMatch(of: /serving on http:\/\/[^ ]*:([0-9]+)\n/).flatMap { Int($0.1) } }
                }
                try await body(Serving(process: process, port: port))
            } catch {
                process.send(SIGKILL)
                _ = try? await process.ran()
                throw error
            }
            process.send(SIGTERM)
            return try await process.ran()
        }

        @Test func `1,000 silent, 100 slow and 100 dying clients hold up no other`() async throws {
            let reply: @Sendable (String, Int) -> OddServer.Reply = { request, _ in request.contains("/dying") ? .silence : .value("[1]") }
            try await OddServer.run(reply) { origin in
                let folder = try WorkFolder(Self.config)
                try folder.write("flat", [UInt8](repeating: 7, count: 1 << 20))
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    #expect(try await server.get("/friends?user=1").status == 200)
                    let crowd = try await blocking { () throws -> [Wire] in
                        let silent = try (0..<1_000).map { _ in try Wire(server) }
                        for wire in silent.prefix(300) { try wire.send("GET /fri") }
                        let slow = try (0..<100).map { _ in
                            let wire = try Wire(server, buffer: 65_536)
                            try wire.send(Wire.head("/large"))
                            return wire
                        }
                        let dying = try (0..<100).map { number in
                            let wire = try Wire(server)
                            try wire.send(Wire.head("/friends?user=dying\(number)"))
                            if number % 2 == 0 { wire.socket.resetsWhenGone() } else { wire.socket.shut() }
                            return wire
                        }
                        return silent + slow + dying.filter { _ in false }
                    }

                    // Each within the patience of a client: what is held up for good has no answer.
                    for _ in 0..<50 { #expect(try await server.get("/friends?user=1").status == 200) }
                    try await until("the loads of those who died to end") {
                        let text = try Request("GET", "/-/metrics", port: server.port).answer().text
                        return try PrometheusText(text)["pipe_run_loads_under_way", ["pipeline": "friends"]] == 0
                    }
                    withExtendedLifetime(crowd) {}
                }
            }
        }

        @Test(arguments: [40, 100])
        func `with few descriptors silent clients make room for others, without much work`(descriptors: Int) async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(Self.config)
                let ran = try await serving(descriptors: descriptors, in: folder, environment: ["ORIGIN": origin.url]) { server in
                    let silent = try await blocking { try (0..<300).map { _ in try Wire(server) } }
                    for user in 0..<20 { #expect(try await server.get("/friends?user=\(user)").status == 200) }
                    // Without a request: one that tries again and again computes all the time, and comes to no rest.
                    var (looks, before) = (0, server.process.processorTime)
                    try await until("a server at rest") {
                        let now = server.process.processorTime
                        looks = now == before && server.process.sleeps ? looks + 1 : 0
                        before = now
                        return looks == 50
                    }
                    // Those that were there first had to go.
                    #expect(try await blocking { try silent[0].all() } == [])
                    withExtendedLifetime(silent) {}
                }
                #expect(ran.status == 0)
            }
        }

        /// How many connections the system lets wait to be accepted; 0 where it does not say.
        private static var systemBacklog: Int {
            let text = try? String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
            return text.flatMap { Int($0.dropLast()) } ?? 0
        }

        @Test(.enabled(if: systemBacklog >= 1_000)) func `a server that is held up lets as many wait as the system does`() async throws {
            let folder = try WorkFolder(Self.config)
            let ran = try await serving(descriptors: 4_096, in: folder, environment: ["ORIGIN": "http://127.0.0.1:9"]) { server in
                server.process.send(SIGSTOP)
                // More than wait by default: 256 in the library, 128 in many others. One that is turned away times out.
                let wires = try await blocking { try (0..<600).map { _ in try Wire(server) } }
                server.process.send(SIGCONT)
                try wires[599].send(Wire.head("/-/health"))
                #expect(try await blocking { try wires[599].answer() }.status == 200)
                withExtendedLifetime(wires) {}
            }
            #expect(ran.status == 0)
        }

        @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
        func `30 readers of 60 MiB share it`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("flat", [UInt8](repeating: 7, count: 60 << 20))
            try await folder.serving(environment: ["ORIGIN": "http://127.0.0.1:9"]) { server in
                let readers = try await blocking { () throws -> [Wire] in
                    let readers = try (0..<30).map { _ in
                        let wire = try Wire(server, buffer: 65_536)
                        try wire.send(Wire.head("/large"))
                        return wire
                    }
                    for reader in readers { _ = try reader.socket.receive() }
                    return readers
                }
                #expect(server.process.residentMegabytes < 450)
                withExtendedLifetime(readers) {}
            }
        }

        @Test func `a reader that stops is sent away, and its value let go`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("flat", [UInt8](repeating: 7, count: 60 << 20))
            try await folder.serving("pipeline.yaml", "--idle-timeout", "2s", environment: ["ORIGIN": "http://127.0.0.1:9"]) { server in
                let wire = try await blocking { () throws -> Wire in
                    let wire = try Wire(server, buffer: 65_536)
                    try wire.send(Wire.head("/large"))
                    _ = try wire.socket.receive()
                    return wire
                }
                // Its request is counted when it ends.
                try await until("the reader that is sent away") {
                    try PrometheusText(Request("GET", "/-/metrics", port: server.port).answer().text)[
                        "pipe_run_requests_total", ["pipeline": "large", "status": "200"]] == 1
                }
                let received = try await blocking { () throws -> Int in
                    var count = 0
                    while let chunk = try? wire.socket.receive() { count += chunk.count }
                    return count
                }
                #expect(received < 60 << 20)
            }
        }

        @Test func `an idle connection ends after the idle timeout`() async throws {
            let folder = try WorkFolder(Self.config)
            try await folder.serving("pipeline.yaml", "--idle-timeout", "2s", environment: ["ORIGIN": "http://127.0.0.1:9"]) { server in
                let rest = try await blocking { () throws -> [UInt8] in
                    let wire = try Wire(server)
                    try wire.send(Wire.head("/-/health"))
                    #expect(try wire.answer().status == 200)
                    return try wire.all()
                }
                #expect(rest == [])
            }
        }
    }
}
