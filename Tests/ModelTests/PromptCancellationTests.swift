import PipelineScenarios
import PipelineTesting
import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// Who leaves as the last ends the call of the origin there and then: no job has to run before, in which another fetch could begin.
@Suite
struct PromptCancellationTests {
    private struct Seen: Equatable {
        /// For each call of the origin, whether it was cancelled: before any fetch, when the only one has left, and after another asked.
        var asked: [Bool] = []
        var left: [Bool] = []
        var askedAgain: [Bool] = []
        var answer: String?
        var leftovers = 0
    }

    @Test(arguments: [
        "{ tiers: [origin] }",
        "{ tiers: [disk, { source: origin, retry: { attempts: 3, base: 1s, max: 1s } }] }",
        "{ tiers: [disk, origin], deadline: 10s }",
        "{ tiers: [disk, { source: origin, soft_timeout: 5s }], stale_if_error: 1h }",
    ])
    func `CA-02 the last who leaves has cancelled the call when his cancellation returns`(pipeline: String) async throws {
        let seen = try await JobLoop.run { loop in Result { try Self.play(pipeline, loop) } }.get()

        #expect(seen == Seen(asked: [false], left: [true], askedAgain: [true, false], answer: "2"))
    }

    private static func play(_ fields: String, _ loop: JobLoop) throws -> Seen {
        let clock = SimulatedClock(loop).makeClock()
        let key = Key(pipeline: "p")
        let origin = GatedOrigin(clock: clock)
        let disk = StubSource("disk", clock: clock)
        let now = clock.now
        let expired = Entry(Array("0".utf8), created: now + .seconds(-20), stored: now + .seconds(-20), freshUntil: now + .seconds(-10))
        disk.hold(expired, for: key)
        let text = """
            sources: { disk: { type: stub_disk }, origin: { type: stub_origin } }
            pipelines: { p: \(fields) }
            """
        let plugins = [
            SourcePlugin(cache: "stub_disk", summary: "", capabilities: [.keepsMetadata]) { _ in disk },
            SourcePlugin(origin: "stub_origin", summary: "") { _ in origin },
        ]
        let report = ConfigFile(text: Array(text.utf8), name: "prompt.yaml").report(plugins: plugins, environment: ConfigEnvironment([:]))
        let pipeline = try Pipelines(report, clock: clock).pipeline(named: "p")
        var seen = Seen()

        let first = loop.start { try? await pipeline.fetch(key) }
        loop.drain()
        seen.asked = origin.calls.map(\.isCancelled)
        first.cancel()
        seen.left = origin.calls.map(\.isCancelled)
        let second = loop.start { try? await pipeline.fetch(key) }
        loop.drain()
        seen.askedAgain = origin.calls.map(\.isCancelled)
        while origin.release({ _ in 0 }) { loop.drain() }

        if case .value(let entry) = second.result??.result { seen.answer = String(decoding: entry.payload ?? [], as: UTF8.self) }
        seen.leftovers = pipeline.flights.reduce(0) { $0 + $1.count }
        return seen
    }
}
