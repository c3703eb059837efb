import Pipeline
import PipelineConfig
import PipelineJSON
import PipelineLive
import Testing

@testable import SourcesWebSocket

/// Servers that are not ours: Python's `websockets` and `aiohttp`.
@Suite(.enabled(if: PythonServer.isThere, Comment(rawValue: PythonServer.advice)), .timeLimit(.minutes(15)))
struct PythonPeerTests {
    private static let websockets = """
        import asyncio, websockets
        async def serve(socket, path=None):
            join = await socket.recv()
            await socket.send('{"type":"joined"}')
            await socket.send(join)
            await socket.send(b"\\x00")
            await (await socket.ping())
            await socket.send(["frag", "me", "nts"])
            await socket.close(4001, "bye")
        async def main():
            async with websockets.serve(serve, "127.0.0.1", 0) as server:
                print(list(server.sockets)[0].getsockname()[1], flush=True)
                await asyncio.Future()
        asyncio.run(main())
        """

    private static let aiohttp = """
        import asyncio
        from aiohttp import web
        async def serve(request):
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            await socket.send_str(request.headers["Authorization"])
            await socket.send_str(await socket.receive_str())
            await socket.close(code=1012, message=b"restart")
            return socket
        async def main():
            app = web.Application()
            app.router.add_get("/friends", serve)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            print(site._server.sockets[0].getsockname()[1], flush=True)
            await asyncio.Future()
        asyncio.run(main())
        """

    private func source(_ url: String, _ change: (inout WebSocketSettings) -> Void) throws -> WebSocketSource {
        var settings = WebSocketSettings(url: try .written(url))
        change(&settings)
        return WebSocketSource(settings, clock: .system)
    }

    @Test func `websockets sends texts, fragments, a ping and a close`() async throws {
        let heard = Heard()
        try await PythonServer.run(Self.websockets) { port async throws in
            let source = try source("ws://127.0.0.1:\(port)/") {
                $0.subscribe = [TextTemplate("hello")]
                $0.ready = MessagePattern(JSONPointer("/type").map { [$0: "joined"] } ?? [:])
            }
            let ending = try await source.ending(heard)
            #expect(ending.kind == .refused)
            #expect(ending.reason == "closed by the server with 4001 (bye)")
        }
        #expect(heard.words == ["begin", "hello", "skipped a binary message", "fragments"])
    }

    @Test func `aiohttp sends texts and a close, and has no other path`() async throws {
        let heard = Heard()
        try await PythonServer.run(Self.aiohttp) { port async throws in
            let source = try source("ws://127.0.0.1:\(port)/friends") {
                $0.subscribe = [TextTemplate("hello")]
                $0.headers = FieldMap([("Authorization", "Bearer t")])
            }
            let ending = try await source.ending(heard)
            #expect(ending.kind == .lost)
            #expect(ending.reason == "closed by the server with 1012 (service restart: restart)")
            #expect(ending.pause == .seconds(5)...(.seconds(30)))

            #expect(try await self.source("ws://127.0.0.1:\(port)/") { _ in }.ending().kind == .refused)
        }
        #expect(heard.words == ["begin", "Bearer t", "hello"])
    }
}
