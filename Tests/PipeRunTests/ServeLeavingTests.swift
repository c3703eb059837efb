import Foundation
import Testing

@testable import PipelineServer

extension ServingTests {
    /// Clients that leave before their answer, each in its way: the load ends with the last of them.
    @Suite struct ServeLeavingTests {
        enum Way: CaseIterable {
            case end, reset, halfCloseThenClose, pipelined, keptAlive, stream, streamReset, streamHalfClose

            var isOfStream: Bool { [.stream, .streamReset, .streamHalfClose].contains(self) }
        }

        private static let config = """
            sources:
              memory: { type: memory }
              api: { type: http, url: "${ORIGIN}/{user}" }
            pipelines:
              friends: { parameters: [user], tiers: [ { source: memory, ttl: 30s }, { source: api, timeout: 10m } ] }
            """

        /// Asks for a value that does not come, and leaves as soon as `origin` was asked.
        private func leave(_ server: Serving, _ way: Way, _ origin: OddServer) async throws {
            let wire = try Wire(server)
            if way == .keptAlive {
                try wire.send(Wire.head("/friends?user=quick"))
                #expect(try await blocking { try wire.answer() }.status == 200)
            }
            let asked = origin.count
            let accept = way.isOfStream ? "Accept: text/event-stream\r\n" : ""
            try wire.send(Wire.head("/friends?user=slow", accept) + (way == .pipelined ? Wire.head("/friends?user=quick") : ""))
            try await origin.asked(asked + 1)
            switch way {
            case .reset, .streamReset: wire.socket.resetsWhenGone()
            case .halfCloseThenClose, .streamHalfClose: wire.socket.shutSending()
            case .end, .pipelined, .keptAlive, .stream: wire.socket.shut()
            }
        }

        @Test(arguments: Way.allCases)
        func `a client that leaves ends its load, and the next one begins another`(way: Way) async throws {
            let reply: @Sendable (String, Int) -> OddServer.Reply = { request, number in
                request.contains("/quick") ? .value("[0]") : request.contains("/slow") && number <= 2 ? .silence : .value("[1]")
            }
            try await OddServer.run(reply) { origin in
                try await WorkFolder(Self.config).serving(environment: ["ORIGIN": origin.url]) { server in
                    // The second request of all, in each way.
                    if way != .keptAlive { #expect(try await server.get("/friends?user=quick").status == 200) }
                    try await leave(server, way, origin)
                    try await origin.left()

                    #expect(try await server.get("/friends?user=slow").text == "[1]")
                    #expect(origin.count == 3)
                }
            }
        }

        @Test func `the load goes on for those who stay, and ends with the last`() async throws {
            try await OddServer.run(.silence) { origin in
                try await WorkFolder(Self.config).serving(environment: ["ORIGIN": origin.url]) { server in
                    let wires = try (0..<20).map { _ in try Wire(server) }
                    for wire in wires { try wire.send(Wire.head("/friends?user=slow")) }
                    try await origin.asked()
                    for wire in wires.dropLast() { wire.socket.shut() }
                    // Those who left have ended on the server's side before this is answered.
                    for wire in wires.dropLast() { #expect(try await blocking { try wire.all() } == []) }
                    let metrics = try PrometheusText(try await server.get("/-/metrics").text)
                    #expect(metrics["pipe_run_loads_under_way", ["pipeline": "friends"]] == 1)
                    #expect(origin.count == 1)

                    wires.last?.socket.shut()
                    try await origin.left()
                    try await until("the load to end") {
                        let request = try Request("GET", "/-/metrics", port: server.port)
                        return try PrometheusText(try request.answer().text)["pipe_run_loads_under_way", ["pipeline": "friends"]] == 0
                    }
                }
            }
        }

        @Test func `a client that only closed its sending gets an answer that is at hand`() async throws {
            let folder = try WorkFolder(ServeTests.formats)
            try folder.write("flat/1", "[1]")
            try await folder.serving { server in
                #expect(try await server.get("/-/health").status == 200)
                var statuses: [Int?] = []
                // The server waits 50 ms for the answer, which a busy machine may need for something else, but hardly three times.
                for _ in 1...3 where statuses.last != 200 {
                    statuses.append(
                        try await blocking {
                            let wire = try Wire(server)
                            try wire.send(Wire.head("/-/health"))
                            wire.socket.shutSending()
                            let bytes = try wire.all()
                            return bytes.isEmpty ? nil : try Answer(bytes).status
                        })
                }
                #expect(statuses.last == 200, "\(statuses)")
            }
        }

        @Test func `a request that was left is counted as 499`() async throws {
            try await OddServer.run(.silence) { origin in
                try await WorkFolder(Self.config).serving(environment: ["ORIGIN": origin.url]) { server in
                    let wire = try Wire(server)
                    try wire.send(Wire.head("/friends?user=slow"))
                    try await origin.asked()
                    wire.socket.shut()
                    try await until("the request to be counted") {
                        let request = try Request("GET", "/-/metrics", port: server.port)
                        let labels = ["pipeline": "friends", "status": "499"]
                        return try PrometheusText(try request.answer().text)["pipe_run_requests_total", labels] == 1
                    }
                }
            }
        }
    }
}
