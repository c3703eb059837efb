import Foundation
import TestSupport
import Testing

extension ServingTests {
    /// `serve` with few descriptors, of which each of very many keys needs some.
    @Suite(.serialized, .enabled(if: PythonServer.isThere, Comment(rawValue: PythonServer.advice))) struct DescriptorTests {
        /// Answers each request, streams to those who ask for that, and takes WebSockets.
        static let server = """
            import asyncio, base64, hashlib
            async def serve(reader, writer):
                try:
                    while True:
                        lines = (await reader.readuntil(b"\\r\\n\\r\\n")).decode("latin1").split("\\r\\n")[1:]
                        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                        if "upgrade" in fields:
                            key = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                            accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
                            writer.write(f"HTTP/1.1 101 OK\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: {accept}\\r\\n\\r\\n".encode())
                            return await reader.read()
                        if fields.get("accept") == "text/event-stream":
                            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n\\r\\n: begun\\n\\n")
                            return await reader.read()
                        writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\n[1]")
                except Exception:
                    pass
                finally:
                    writer.close()
            async def main():
                server = await asyncio.start_server(serve, "0.0.0.0", 0, backlog=4096)
                print(server.sockets[0].getsockname()[1], flush=True)
                await server.serve_forever()
            asyncio.run(main())
            """

        private static let config = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              db: { type: sqlite, path: cache.db }
              api: { type: http, url: "http://127.0.0.1:${PORT}/{k}" }
              many: { type: http, url: "http://127.0.{k}:${PORT}/" }
              echo: { type: command, command: [/bin/echo, "{k}"] }
              events: { type: websocket, url: "ws://127.0.0.1:${PORT}/{k}" }
              stream: { type: sse, url: "http://127.0.0.1:${PORT}/{k}" }
              edits: { type: watch, path: "watched/{k}" }
            pipelines:
              websocket: { parameters: [k], tiers: [ { source: memory, ttl: 1h }, api ], live: [events] }
              sse: { parameters: [k], tiers: [ { source: memory, ttl: 1h }, api ], live: [stream] }
              watch: { parameters: [k], tiers: [ { source: memory, ttl: 1h }, api ], live: [edits] }
              hosts: { parameters: [k], tiers: [many] }
              command: { parameters: [k], tiers: [echo] }
              file: { parameters: [k], tiers: [ { source: disk, ttl: 1h }, api ] }
              sqlite: { parameters: [k], tiers: [ { source: db, ttl: 1h }, api ] }
            """

        private static let kinds = ["websocket", "sse", "watch", "hosts", "command", "file", "sqlite"]

        /// The statuses of the answers to one request for each of `keys`, all sent at once.
        private func statuses(_ pipeline: String, _ keys: Range<Int>, of server: Serving) async throws -> [Int] {
            try await blocking {
                let wire = try Wire(server)
                let keys = keys.map { pipeline == "hosts" ? "\($0 >> 6).\($0 & 63 + 1)" : "\($0)" }
                try wire.send(keys.dropLast().map { Wire.head("/\(pipeline)?k=\($0)") }.joined())
                try wire.send(Wire.head("/\(pipeline)?k=\(keys.last ?? "")", "Connection: close\r\n"))
                return String(decoding: try wire.all(), as: UTF8.self).matches(of: /HTTP\/1.1 (\d+)/).compactMap { Int($0.1) }
            }
        }

        /// Clients that observe each of `keys`.
        private func observers(_ pipeline: String, _ keys: Range<Int>, of server: Serving) async throws -> [Wire] {
            try await blocking {
                try keys.map { key in
                    let wire = try Wire(server)
                    try wire.send(Wire.head("/\(pipeline)?k=\(key)", "Accept: text/event-stream\r\n"))
                    return wire
                }
            }
        }

        @Test(arguments: [64, 256, 1_024])
        func `three times as many keys of each kind as descriptors end nothing, and each is answered`(limit: Int) async throws {
            try await PythonServer.run(Self.server) { port in
                let folder = try WorkFolder(Self.config)
                let ran = try await folder.serving(
                    environment: ["PORT": "\(port)"], under: ["sh", "-c", "ulimit -n \(limit); exec \"$@\"", "sh"]
                ) { server in
                    for kind in Self.kinds where limit < 1_024 || kind == "websocket" {
                        let statuses = try await statuses(kind, 0..<3 * limit, of: server)
                        // A tier may lack a descriptor, and says so then; the server goes on.
                        #expect(statuses.count == 3 * limit && statuses.allSatisfy { [200, 502].contains($0) }, "\(kind)")
                        // A feed that there is none for keeps no value from being loaded.
                        if limit > 64, kind != "hosts" { #expect(statuses.allSatisfy { $0 == 200 }, "\(kind)") }
                    }
                    // Feeds that are observed stay. A client waits where three eighths of the descriptors, less at a low limit, have one.
                    let observers = try await observers("websocket", 0..<limit / 8, of: server)
                    #expect(try await server.get("/-/health").status == 200)
                    withExtendedLifetime(observers) {}
                }
                #expect(ran.status == 0, "\(ran.errors)")
            }
        }
    }
}
