import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesHTTP
import Testing

/// A fetch that is cancelled ends what it asks for.
@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceCancellationTests {
    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 503 X\r\nContent-Length: 10\r\n\r\nhalf",
    ])
    func `the request of a cancelled fetch ends, whatever has come of its answer`(answer: String) async throws {
        try await ScriptedServer.run({ _ in [.text(answer)] }) { server async throws in
            let text = """
                sources:
                  api: { type: http, url: "\(server.url)/friends" }
                pipelines:
                  friends: { tiers: [{ source: api, timeout: 1h, retry: { attempts: 3, base: 1h } }], deadline: 2h }
                """
            let pipelines = try Pipelines(ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http]))
            let friends = try pipelines.pipeline(named: "friends")
            let fetch = Task { try await friends.fetch() }
            await server.arrival()

            fetch.cancel()
            await #expect(throws: CancellationError.self) { try await fetch.value }

            await server.closing()
            #expect(server.requests.count == 1)
            await pipelines.shutDown()
        }
    }
}
