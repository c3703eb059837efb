import HTTPTypes
import Hummingbird
import NIOCore
import Pipeline
import PipelineTesting
import PipelineYAML
import Testing

@testable import PipeRunKit

@Suite struct PipelineResponderTests {
    @Test func `after the pipelines were shut down a fetch is answered with 503, and metrics as ever`() async throws {
        let time = ManualClock()
        let plugin = SourcePlugin("stub", summary: "", capabilities: [.neverMisses]) { _ in
            StubOrigin(clock: time.clock, answering: .value("[1]"))
        }
        let text = "sources: { api: { type: stub } }\npipelines: { friends: { tiers: [api] } }"
        let report = ConfigFile(text: Array(text.utf8), name: "x.yaml").report(plugins: [plugin], environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report, clock: time.clock)
        let responder = PipelineResponder(pipelines, metrics: PrometheusRegistry())
        func status(_ path: String) async throws -> Int {
            let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
            return try await responder.respond(to: Hummingbird.Request(head: head, body: RequestBody(buffer: ByteBuffer()))).status.code
        }
        #expect(try await status("/friends") == 200)

        await pipelines.shutDown()

        #expect(try await status("/friends") == 503)
        #expect(try await status("/-/metrics") == 200)
    }
}
