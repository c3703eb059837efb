import TestSupport
import Testing

/// The program without the privileges of the superuser, as in a container.
@Suite(.enabled(if: Tool.path("setpriv") != nil, "install util-linux")) struct UnprivilegedTests {
    /// Takes every capability away; others than the superuser have none.
    private static let unprivileged = ["sh", "-c", #"[ "$(id -u)" != 0 ] || set -- setpriv --bounding-set=-all "$@"; exec "$@""#, "sh"]

    @Test(.enabled(if: Tool.path("redis-server") != nil, "install redis-server"))
    func `Redis takes a copy`() async throws {
        try await RedisProgram.run { redis in
            let folder = try WorkFolder(
                """
                sources: { redis: { type: redis, url: "\(redis.url)" }, api: { type: inline, value: 1 } }
                pipelines: { one: { tiers: [ { source: redis, ttl: 1h }, api ] } }
                """)

            let ran = try await folder.start(["fetch", "one", "--trace"], under: Self.unprivileged).ran()

            #expect(ran.status == 0 && ran.text == "1", "\(ran.everything)")
            #expect(try redis.count() == 1, "\(ran.errors)")
        }
    }

    @Test(.enabled(if: PythonServer.isThere, Comment(rawValue: PythonServer.advice)))
    func `a WebSocket is connected`() async throws {
        try await PythonServer.run(ServingTests.DescriptorTests.server) { port in
            let folder = try WorkFolder(
                """
                sources:
                  memory: { type: memory }
                  api: { type: http, url: "http://127.0.0.1:\(port)/" }
                  events: { type: websocket, url: "ws://127.0.0.1:\(port)/" }
                pipelines: { one: { tiers: [ { source: memory, ttl: 1h }, api ], live: [events] } }
                """)
            try await folder.serving(under: Self.unprivileged) { server in
                let wire = try await blocking {
                    let wire = try Wire(server)
                    try wire.send(Wire.head("/one", "Accept: text/event-stream\r\n"))
                    return wire
                }
                try await until("a feed that is connected") {
                    let text = try Request("GET", "/-/metrics", port: server.port).answer().text
                    return try PrometheusText(text)["pipe_run_feeds", ["pipeline": "one", "source": "events", "state": "live"]] == 1
                }
                withExtendedLifetime(wire) {}
            }
        }
    }
}
