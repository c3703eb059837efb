import Pipeline
import PipelineConfig
import PipelineLive
import Testing

@testable import SourcesSSE

/// A server that is not ours: Python's `aiohttp`.
@Suite(.enabled(if: PythonServer.isThere, Comment(rawValue: PythonServer.advice)), .timeLimit(.minutes(15)))
struct PythonPeerTests {
    private static let aiohttp = """
        import asyncio
        from aiohttp import web
        async def serve(request):
            stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await stream.prepare(request)
            after = int(request.headers.get("Last-Event-ID", "0"))
            for number in range(after + 1, after + 4):
                await stream.write(f"id: {number}\\nevent: add\\ndata: {number}\\n\\n".encode())
            return stream
        async def main():
            app = web.Application()
            app.router.add_get("/books", serve)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            print(site._server.sockets[0].getsockname()[1], flush=True)
            await asyncio.Future()
        asyncio.run(main())
        """

    @Test func `aiohttp goes on behind the last event`() async throws {
        let (first, second) = (Heard(), Heard())
        try await PythonServer.run(Self.aiohttp) { port async throws in
            var settings = SSESettings(url: try .written("http://127.0.0.1:\(port)/books"))
            settings.resumes = true
            let source = SSESource(settings, clock: .system)
            #expect(try await source.ending(first).kind == .lost)
            _ = try await source.listen(for: Key(pipeline: "books"), to: second.listener(at: "3"))
        }
        #expect(first.all == ["begin"] + (1...3).flatMap { ["position \($0)", "add \($0)"] })
        #expect(second.all == ["begin"] + (4...6).flatMap { ["position \($0)", "add \($0)"] })
    }
}
