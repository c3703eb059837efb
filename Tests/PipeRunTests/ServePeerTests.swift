import Foundation
import TestSupport
import Testing

extension ServingTests {
    /// `serve` behind caches of other authors: what it says of its answers is what they go by.
    @Suite(.enabled(if: PeerServer.areThere, "\(PeerServer.advice)"))
    struct ServePeerTests {
        enum Peer: CaseIterable, CustomTestStringConvertible {
            case nginx, varnish

            var testDescription: String { "\(self)" }

            /// Runs `body` with the port of a cache before `server`, which serves nothing that has expired.
            func run(before server: Serving, _ body: (Int) async throws -> Void) async throws {
                func withPort(_ url: String) async throws { try await body(try #require(URL(string: url)?.port)) }
                switch self {
                case .nginx: try await PeerServer.nginx(before: server.port, in: TemporaryFolder(), withPort)
                case .varnish:
                    let rules = "sub vcl_backend_response { set beresp.grace = 0s; set beresp.keep = 60s; }"
                    try await PeerServer.varnish(before: server.port, rules, in: TemporaryFolder(), withPort)
                }
            }
        }

        private static let value = String(repeating: "one ", count: 500)

        /// A value with the tag `"1"`, or that it still holds, each with these fields.
        private static func tagged(_ request: String, _ fields: String) -> OddServer.Reply {
            let fields = "ETag: \"1\"\r\n\(fields)\r\n"
            guard !request.contains("If-None-Match: \"1\"") else { return .bytes("HTTP/1.1 304 Not Modified\r\n\(fields)\r\n") }
            return .bytes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(value.utf8.count)\r\n\(fields)\r\n\(value)")
        }

        private static func reply(_ request: String, _ number: Int) -> OddServer.Reply {
            if request.contains("/brief ") { return tagged(request, "Cache-Control: max-age=1") }
            if request.contains("/secret ") { return tagged(request, "Cache-Control: no-store") }
            if request.contains("/gone ") { return .bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") }
            if request.contains("/busy ") { return .bytes("HTTP/1.1 503 Later\r\nContent-Length: 0\r\nRetry-After: 1000\r\n\r\n") }
            return tagged(request, "Cache-Control: max-age=1000\r\nAge: 400")
        }

        /// Runs `body` with the port of `peer`, and with how often `serve` answered a status.
        private static func run(
            _ peer: Peer, _ body: (_ port: Int, _ answered: (Int) async throws -> Double) async throws -> Void
        ) async throws {
            try await OddServer.run(reply) { origin async throws in
                let folder = try WorkFolder(
                    """
                    sources:
                      memory: { type: memory }
                      api: { type: http, url: "\(origin.url)/{user}", caching: headers }
                    pipelines:
                      friends: { parameters: [user], format: text, not_found_ttl: 1h, tiers: [ { source: memory, ttl: none }, api ] }
                    """)
                try await folder.serving { server async throws in
                    try await peer.run(before: server) { port async throws in
                        try await body(port) { status async throws in
                            let metrics = try PrometheusText(try await server.get("/-/metrics").text)
                            return metrics["pipe_run_requests_total", ["pipeline": "friends", "status": "\(status)"]] ?? 0
                        }
                    }
                }
            }
        }

        private static func get(_ user: String, _ port: Int, _ headers: [String: String] = [:]) async throws -> Answer {
            // In the version before chunks.
            let fields = (headers.map { "\($0.key): \($0.value)" } + ["Host: 127.0.0.1", "", ""]).joined(separator: "\r\n")
            return try await blocking {
                let socket = try Socket.connect(to: port)
                try socket.send(Array("GET /friends?user=\(user) HTTP/1.0\r\n\(fields)".utf8))
                var bytes: [UInt8] = []
                while let part = try socket.receive() { bytes += part }
                socket.shut()
                return try Answer(bytes)
            }
        }

        @Test(arguments: Peer.allCases) func `a cache keeps what stays fresh, with its age, and that there is no value`(_ peer: Peer)
            async throws
        {
            try await Self.run(peer) { port, answered async throws in
                for _ in 1...2 {
                    let value = try await Self.get("1", port)
                    #expect(value.status == 200 && value.text == Self.value)
                    #expect(value["Age"].flatMap { Int($0) }.map { $0 >= 400 } == true, "\(value.headers)")
                    let gone = try await Self.get("gone", port)
                    #expect(gone.status == 404 && gone.text.contains("not_found"))
                }

                #expect(try await answered(200) == 1)
                #expect(try await answered(404) == 1)
                // By the tag that serve passes on.
                let known = try await Self.get("1", port, ["If-None-Match": "\"1\""])
                #expect(known.status == 304)
                #expect(try await answered(304) == 0)
            }
        }

        @Test(arguments: Peer.allCases) func `a cache asks again for what is not to be kept, and passes on when to come again`(_ peer: Peer)
            async throws
        {
            try await Self.run(peer) { port, answered async throws in
                for _ in 1...2 { #expect(try await Self.get("secret", port).text == Self.value) }
                #expect(try await answered(200) == 2)

                let busy = try await Self.get("busy", port)
                #expect(busy.status == 502)
                #expect(busy["Retry-After"]?.wholeMatch(of: /1000|9[0-9][0-9]/) != nil)
            }
        }

        @Test(arguments: Peer.allCases) func `what has expired in a cache is confirmed`(_ peer: Peer) async throws {
            try await Self.run(peer) { port, answered async throws in
                try await until("an answer that is confirmed") {
                    #expect(try await Self.get("brief", port).text == Self.value)
                    return try await answered(304) > 0
                }
                #expect(try await answered(200) == 1)
            }
        }

        @Test(arguments: Peer.allCases) func `a client gets text in the coding that it takes`(_ peer: Peer) async throws {
            try await Self.run(peer) { port, answered async throws in
                for _ in 1...2 {
                    let packed = try await Self.get("1", port, ["Accept-Encoding": "gzip"])
                    #expect(
                        packed["Content-Encoding"] == "gzip" && packed["Vary"]?.contains("Accept-Encoding") == true, "\(packed.headers)")
                    let plain = try await Self.get("1", port)
                    #expect(plain["Content-Encoding"] == nil && plain.text == Self.value, "\(plain.headers)")
                }

                // Varnish asks for one coding, and unpacks it for the clients.
                #expect(try await answered(200) == (peer == .nginx ? 2 : 1))
            }
        }
    }
}
