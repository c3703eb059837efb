import NIOHTTP1
import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import PipelineServer

@Suite struct PipelineResponderTests {
    @Test func `after the pipelines were shut down a fetch is answered with 503, and metrics as ever`() async throws {
        let time = ManualClock()
        let plugin = SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in
            StubOrigin(clock: time.clock, answering: .value("[1]"))
        }
        let text = "sources: { api: { type: stub } }\npipelines: { friends: { tiers: [api] } }"
        let report = ConfigFile(text: Array(text.utf8), name: "x.yaml").report(plugins: [plugin], environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report, clock: time.clock)
        let responder = PipelineResponder(ServedPipelines(pipelines), version: "1", metrics: PrometheusRegistry())
        func status(_ path: String) async throws -> UInt {
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: ["Host": "localhost"])
            let request = try ClientRequest(head, hosts: HostRule(listeningOn: "127.0.0.1", allowing: []))
            return await responder.answer(to: request).status.code
        }
        #expect(try await status("/friends") == 200)

        await pipelines.shutDown()

        #expect(try await status("/friends") == 503)
        #expect(try await status("/-/metrics") == 200)
    }

    @Test(
        arguments: [
            ("/friends", nil, false), ("/friends", "u=4", true), ("/friends", "u=7", true), ("/prefetched", nil, true),
            ("/prefetched", "u=3", false), ("/nobody", nil, false), ("/-/metrics", nil, false),
        ] as [(String, String?, Bool)])
    func `a request is low by the word of its client, or else of its pipeline`(target: String, field: String?, isLow: Bool) throws {
        let plugin = SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in
            StubOrigin(clock: ManualClock().clock, answering: .value("[1]"))
        }
        let text = """
            sources: { api: { type: stub } }
            pipelines: { friends: { tiers: [api] }, prefetched: { priority: low, tiers: [api] } }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "x.yaml").report(plugins: [plugin], environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report)
        let responder = PipelineResponder(ServedPipelines(pipelines), version: "1", metrics: PrometheusRegistry())
        var headers: HTTPHeaders = ["Host": "localhost"]
        if let field { headers.add(name: "Priority", value: field) }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
        let request = try ClientRequest(head, hosts: HostRule(listeningOn: "127.0.0.1", allowing: []))

        #expect(responder.isLow(request) == isLow)
    }

    @Test(
        arguments: [
            (nil, #""db"; fwd=miss; detail=scheduled"#), (SourceError("no connection"), #""db"; fwd=miss; detail=error"#),
            (SourceError("too late", kind: .timeout), #""db"; fwd=miss; detail=timeout"#),
        ] as [(SourceError?, String)])
    func `a cache is said to have stored an answer when its write has ended, and not before`(
        failure: SourceError?, expected: String
    ) async throws {
        let time = ManualClock()
        let cache = StubSource("db", clock: time.clock)
        let gate = Gate()
        cache.delay(.writes, until: gate)
        if let failure { cache.fail(.reads, with: failure) }
        let plugins = [
            SourcePlugin(cache: "stub", summary: "") { _ in cache },
            SourcePlugin(origin: "origin", summary: "", capabilities: [.neverMisses]) { _ in
                StubOrigin(clock: time.clock, answering: .value("[1]"))
            },
        ]
        let text = "sources: { db: { type: stub }, api: { type: origin } }\npipelines: { friends: { tiers: [db, api] } }"
        let report = ConfigFile(text: Array(text.utf8), name: "x.yaml").report(plugins: plugins, environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report, clock: time.clock)

        let outcome = try await pipelines.pipeline(named: "friends").fetch()
        let header = CacheStatus.value(of: outcome, origins: ["api"])
        gate.open()
        try await outcome.waitForWrites()

        #expect(header == #""api"; fwd=miss; fwd-status=200, "# + expected)
        #expect(CacheStatus.value(of: outcome, origins: ["api"]).hasSuffix("; stored"))
    }

    /// Asks for `/friends` of the pipeline `[memory, api]`, in which the memory has a ttl of 10 s.
    private static func asking(
        _ api: StubOrigin, on time: ManualClock, detail: ErrorDetail = .full, at path: String = "/friends", accept: String = "*/*",
        _ body: (_ cache: StubSource, _ ask: () async throws -> ServedAnswer) async throws -> Void
    ) async throws {
        let cache = StubSource("memory", clock: time.clock)
        let plugins = [
            SourcePlugin(cache: "memory", summary: "") { _ in cache },
            SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in api },
        ]
        let text = """
            sources: { memory: { type: memory }, api: { type: stub } }
            pipelines: { friends: { tiers: [ { source: memory, ttl: 10s }, api ] } }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "x.yaml").report(plugins: plugins, environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report, clock: time.clock)
        let responder = PipelineResponder(ServedPipelines(pipelines), version: "1", metrics: PrometheusRegistry(), detail: detail)
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: ["Host": "localhost", "Accept": accept])
        let request = try ClientRequest(head, hosts: HostRule(listeningOn: "127.0.0.1", allowing: []))
        try await body(cache) { await responder.answer(to: request) }
        await pipelines.shutDown()
    }

    @Test func `a copy that the origin confirmed has the status that the origin sent`() async throws {
        let time = ManualClock()
        try await Self.asking(StubOrigin(clock: time.clock, answering: .value("[1]", etag: "\"1\"")), on: time) { cache, ask async throws in
            #expect(try await ask().headers.first(name: "Cache-Status")?.hasPrefix(#""api"; fwd=miss; fwd-status=200"#) == true)
            await cache.finished(.writes, atLeast: 1)
            time.advance(by: .seconds(11))
            let confirmed = try await ask()

            #expect(confirmed.status == .ok)
            let fields = try #require(confirmed.headers.first(name: "Cache-Status"))
            #expect(fields.hasPrefix(#""api"; fwd=stale; fwd-status=304, "memory"; fwd=stale"#), "\(fields)")
        }
    }

    @Test(arguments: [ErrorDetail.full, .brief])
    func `an answer that failed says when the origin may be asked again, rounded up`(detail: ErrorDetail) async throws {
        let time = ManualClock()
        let api = StubOrigin(clock: time.clock)
        try await Self.asking(api, on: time, detail: detail) { _, ask async throws in
            api.answers(
                .error(SourceError("asked to wait 19s", kind: .skipped, retry: .never(before: time.clock.now + .milliseconds(18_200)))))
            let resting = try await ask()
            #expect(resting.status == .badGateway)
            #expect(resting.headers.first(name: "Retry-After") == "19")

            api.answers(.error(SourceError("no connection")))
            let failed = try await ask()
            #expect(failed.status == .badGateway)
            #expect(failed.headers.first(name: "Retry-After") == nil)
        }
    }

    @Test(arguments: [ErrorDetail.full, .brief], ["*/*", "text/event-stream"])
    func `which pipelines there are is told only where errors are told in full`(detail: ErrorDetail, accept: String) async throws {
        let time = ManualClock()
        for path in ["/frends", "/something"] {
            try await Self.asking(StubOrigin(clock: time.clock), on: time, detail: detail, at: path, accept: accept) {
                _, ask async throws in
                let answer = try await ask()
                let text = String(decoding: answer.body, as: UTF8.self)

                #expect(answer.status == .notFound && text.contains("unknown pipeline `\(path.dropFirst())`"), "\(text)")
                #expect(text.contains("friends") == (detail == .full), "\(text)")
            }
        }
    }
}
