import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineTesting
import PipelineYAML
import Testing

@testable import SourcesHTTP

/// What a failure of the network or of a server says about another try.
@Suite(.timeLimit(.minutes(15)))
struct HTTPRepetitionTests {
    /// What `source` says of another try, in a word, and when it may be.
    private func advice(_ source: HTTPSource) async -> (word: String, moment: Timestamp?) {
        do {
            _ = try await source.read(Key(pipeline: "friends"))
            return ("answered", nil)
        } catch {
            guard let error = error as? SourceError else { return ("\(error)", nil) }
            return switch error.retry.moment {
            case .never: ("never", nil)
            case .atOnce: ("at once", nil)
            case .later(let moment, let base): (base == .zero ? "later" : "later, \(base.spelling)", moment)
            }
        }
    }

    @Test(arguments: [
        (400, "never"), (401, "never"), (404, "answered"), (408, "later"), (409, "never"), (413, "never"), (425, "later"),
        (429, "later, 1s"), (500, "later"), (501, "never"), (502, "later"), (503, "later, 1s"), (504, "later"), (505, "never"),
    ])
    func `a status says whether another try can do better`(status: Int, word: String) async throws {
        try await ScriptedServer.run({ _ in Answer.text("", status: status) }) { server async throws in
            try await withSource(server.url) { source async throws in #expect(await advice(source).word == word) }
        }
    }

    @Test(arguments: [408, 425, 429, 503]) func `NC-22 a POST is tried again only where the server says when`(status: Int) async throws {
        let script: ScriptedServer.Script = {
            Answer.text("", status: status, headers: $0.target == "/when" ? ["Retry-After: 2"] : [])
        }
        try await ScriptedServer.run(script) { server async throws in
            for (target, isTried) in [("/when", true), ("/", false)] {
                try await withSource(server.url + target, clock: ManualClock().clock) {
                    $0.method = .post
                } _: { source async throws in
                    #expect(await advice(source).word.hasPrefix("later") == isTried)
                }
            }
        }
    }

    @Test(arguments: [RequestMethod.post, .patch, .get, .put, .delete, .query])
    func `NC-22 a reset and a status 500 are tried again where the method may be repeated`(method: RequestMethod) async throws {
        let script: ScriptedServer.Script = { $0.target == "/reset" ? [.reset] : Answer.text("", status: 500) }
        try await ScriptedServer.run(script) { server async throws in
            for target in ["/reset", "/500"] {
                for idempotent in [nil, true, false] {
                    try await withSource(server.url + target) {
                        $0.method = method
                        $0.isIdempotent = idempotent
                    } _: { source async throws in
                        let isRepeatable = idempotent ?? (method != .post && method != .patch)
                        #expect(await advice(source).word == (isRepeatable ? "later" : "never"))
                    }
                }
            }
        }
    }

    @Test func `NC-22 a refused connection and an unknown host are tried again at once, a POST too`() async throws {
        for url in ["http://127.0.0.1:\(LoopbackPort.closed())/", "http://nowhere.invalid/"] {
            try await withSource(url) {
                $0.method = .post
            } _: { source async throws in
                #expect(await advice(source).word == "at once")
            }
        }
    }

    @Test func `a body that is too large, cannot be decoded, or whose certificate is not trusted is not tried again`() async throws {
        let script: ScriptedServer.Script = {
            $0.target == "/large" ? Answer.text("too large") : Answer.text("no gzip", headers: ["Content-Encoding: gzip"])
        }
        try await ScriptedServer.run(script) { server async throws in
            for target in ["/large", "/gzip"] {
                try await withSource(server.url + target) {
                    $0.maxSize = Size(bytes: target == "/large" ? 3 : 1_000)
                } _: { source async throws in
                    #expect(await advice(source).word == "never")
                }
            }
        }
        try await ScriptedServer.run({ _ in Answer.text("1") }, as: SelfSigned()) { server async throws in
            try await withSource(server.url) { source async throws in #expect(await advice(source).word == "never") }
        }
    }

    @Test(arguments: [
        ("7", 7), ("  7 ", 7), ("999999999999999999999", 3_600), ("7200", 3_600), ("never", nil), ("-3", nil), ("1.5", nil), ("0", nil),
        ("", nil), ("Thu, 01 Jan 1970 00:00:00 GMT", nil), ("Thu, 01 Jan 2026 00:00:09 GMT", 9),
    ])
    func `Retry-After is a number or a date, at most an hour, and junk is no Retry-After`(text: String, seconds: Int?) async throws {
        // Midnight of the first of January 2026.
        let time = ManualClock()
        let begin = time.clock.now
        try await ScriptedServer.run({ _ in Answer.text("", status: 425, headers: ["Retry-After: \(text)"]) }) { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                let advice = await advice(source)
                #expect(advice.word == "later")
                #expect(advice.moment == seconds.map { begin + .seconds($0) })
            }
        }
    }

    @Test func `NC-21 five retries without an answer, then the first failure stands, and 25 answers give five again`() async throws {
        let script: ScriptedServer.Script = { $0.target.hasPrefix("/well") ? Answer.text("1") : Answer.text("", status: 500) }
        try await ScriptedServer.run(script) { server async throws in
            let scene = try RetryScene(server, tier: "retry: { attempts: 3, base: 1ms, max: 1ms }")
            for _ in 0..<4 { _ = try await scene.pipeline.fetch(["user": "down"]) }
            #expect(server.requests.count == 4 + 5)
            let last = try await scene.pipeline.fetch(["user": "down"])
            #expect(last.attempts.first?.reason?.hasSuffix("no retry: the budget of 20% is used up") == true)
            #expect(last.attempts.first?.tries == 1)

            for _ in 0..<25 { _ = try await scene.pipeline.fetch(["user": "well"]) }
            let before = server.requests.count
            for _ in 0..<4 { _ = try await scene.pipeline.fetch(["user": "down"]) }
            #expect(server.requests.count - before == 4 + 5)
            await scene.pipelines.shutDown()
        }
    }

    @Test(arguments: [("method: POST, body: \"{}\"", 1), ("method: POST, body: \"{}\", idempotent: true", 3), ("method: GET", 3)])
    func `NC-22 an answer of the wrong format is asked for again only where asking twice is the same as asking once`(
        fields: String, requests: Int
    ) async throws {
        try await ScriptedServer.run({ _ in Answer.text("<html>") }) { server async throws in
            let scene = try RetryScene(server, source: fields, tier: "retry: { attempts: 3, base: 0s }")
            #expect(try await scene.pipeline.fetch(["user": "1"]).trace == "api: invalid")
            #expect(server.requests.count == requests)
            await scene.pipelines.shutDown()
        }
    }
}

/// A pipeline `friends` over a server, each user at a path.
struct RetryScene {
    let pipelines: Pipelines
    let pipeline: DataPipeline

    init(_ server: ScriptedServer, source: String = "", tier: String, clock: PipelineClock = .system, policy: String = "") throws {
        let text = """
            sources:
              api: { type: http, url: "\(server.url)/{user}"\(source.isEmpty ? "" : ", " + source) }
            pipelines:
              friends: { parameters: [user], tiers: [{ source: api\(tier.isEmpty ? "" : ", " + tier) }]\(policy.isEmpty ? "" : ", " + policy) }
            """
        pipelines = try Pipelines(ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http]), clock: clock)
        pipeline = try pipelines.pipeline(named: "friends")
    }
}

/// What the controller of the server's origin knows.
func snapshot(of server: ScriptedServer) -> OriginSnapshot? {
    OriginControllers.shared.snapshots.last { $0.origin.port == server.port }
}
