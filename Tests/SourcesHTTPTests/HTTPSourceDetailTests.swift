import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesHTTP
import Synchronization
import Testing

/// What a failed answer says besides its status.
@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceDetailTests {
    /// - Parameter clock: its time stands still unless a test moves it, so that a body may take as long as a busy machine needs.
    private func detail(_ steps: [ScriptedServer.Step], clock: PipelineClock = ManualClock().clock) async throws -> String? {
        var detail: String?
        try await ScriptedServer.run({ _ in steps }) { server async throws in
            try await withSource(server.url, clock: clock) { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                #expect(error?.reason.hasPrefix("status 503 from ") == true)
                detail = error?.detail
            }
        }
        return detail
    }

    @Test func `the body of a failed answer is its detail`() async throws {
        #expect(try await detail(Answer.text("{\"error\":\"out of memory\"}", status: 503)) == "{\"error\":\"out of memory\"}")
        #expect(try await detail(Answer.text("", status: 503)) == nil)
    }

    @Test func `a compressed body is read, too, and one that cannot be read is left out`() async throws {
        let compressed = Answer.bytes(Answer.gzip, status: 503, headers: ["Content-Encoding: gzip"])
        #expect(try await detail(compressed) == "{\"friends\":[1,2,3]}")
        #expect(try await detail(Answer.text("no gzip", status: 503, headers: ["Content-Encoding: gzip"])) == nil)
        #expect(try await detail([.text(Answer.head(status: 503, headers: ["Content-Length: 9"])), .text("half"), .close]) == nil)
    }

    @Test func `of a long body 4 KB are read, up to the end of a word`() async throws {
        let words = (0..<100_000).map { "word\($0)" }.joined(separator: " ")

        let detail = try #require(try await detail(Answer.text(words, status: 503)))

        #expect(detail.utf8.count <= 4_096 && detail.utf8.count > 4_080)
        #expect(words.hasPrefix(detail + " "))
    }

    @Test func `a long body without blanks, or with a long word, has a detail, too`() async throws {
        let x = String(repeating: "x", count: 5_000)

        #expect(try await detail(Answer.text(x, status: 503)) == x)
        #expect(try await detail(Answer.text("{\"message\": \"\(x)\"} end", status: 503)) == "{\"message\": \"\(x)\"}")
        #expect(try await detail(Answer.text("<html> \(x)\n\(x) \(x)", status: 503)) == "<html> \(x)")
        let endless = try #require(try await detail(Answer.text(String(repeating: "x", count: 200_000), status: 503)))
        #expect(endless.utf8.count == 64 << 10)
        let packed = HTTPBodyCodingTests.zipped(x, 31)
        #expect(try await detail(Answer.bytes(packed, status: 503, headers: ["Content-Encoding: gzip"])) == x)
    }

    @Test func `a body that does not come holds up nothing for long`() async throws {
        let time = ManualClock()
        async let detail = detail([.text(Answer.head(status: 503, headers: ["Content-Length: 9"]))], clock: time.clock)
        await time.sleepers(atLeast: 1)

        time.advance(by: .milliseconds(250))

        #expect(try await detail == nil)
    }

    @Test(arguments: [
        ("X-Api-Key", "abc", #"{"key":"abc","word":"abcd"}"#, #"{"key":"***","word":"abcd"}"#),
        ("Authorization", "Bearer 7", "no user has 7, or 77", "no user has ***, or 77"),
        ("Cookie", "s=1", "s=1; s=12", "***; s=12"),
        // The name says that it is no credential.
        ("X-Version", "2", "version 2", "version 2"),
    ])
    func `a short credential is masked where it stands as a word`(name: String, value: String, body: String, shown: String) async throws {
        try await ScriptedServer.run({ _ in Answer.text(body, status: 503) }) { server async throws in
            let headers = FieldMap([(name: name, value: SecretTemplate(stringLiteral: value))])
            try await withSource(server.url, clock: ManualClock().clock, { $0.headers = headers }) { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                #expect(error?.detail == shown)
            }
        }
    }

    @Test func `a connection whose failed answer was read is used again`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("busy", status: 500) }) { server async throws in
            try await withSource(server.url, clock: ManualClock().clock) { source async throws in
                for _ in 0..<5 { _ = await source.failure() }
                #expect(server.requests.count == 5)
                // The next request may come before the connection is back; one that was not read never is.
                #expect(server.connections < 5)
            }
        }
    }

    @Test func `the trace has the first 200 bytes on one line, secrets masked before the cut`() async throws {
        let padding = String(repeating: "x", count: 180)
        let body = "<p>\r\n\tno such token: s3cr3t-t0ken-123 \u{1B}[31m</p>\n\(padding) s3cr3t-t0ken-123 and more"
        try await ScriptedServer.run({ _ in Answer.text(body, status: 401) }) { server async throws in
            let text = """
                sources:
                  api: { type: http, url: "\(server.url)/friends", headers: { Authorization: "${TOKEN}" } }
                pipelines:
                  friends: { tiers: [api] }
                """
            let environment = ConfigEnvironment { $0 == "TOKEN" ? "s3cr3t-t0ken-123" : nil }
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http], environment: environment)
            let pipelines = try Pipelines(report, clock: ManualClock().clock)

            let attempt = try #require(try await pipelines.pipeline(named: "friends").fetch().attempts.first)

            let detail = try #require(attempt.detail)
            #expect(attempt.reason == "status 401 from \(server.url)/friends")
            #expect(detail.hasPrefix("<p> no such token: *** \u{FFFD}[31m</p> xxx") && detail.hasSuffix("x…"))
            #expect(detail.utf8.count <= 200 + "…".utf8.count)
            _ = await pipelines.shutDown()
        }
    }

    /// The last attempt of a fetch whose server answers 200 with `body`.
    private func attempt(_ body: String, _ headers: [String] = [], method: String = "GET", format: String = "json") async throws -> Attempt
    {
        var attempt: Attempt?
        try await ScriptedServer.run({ _ in Answer.text(body, headers: headers) }) { server async throws in
            let text = """
                sources:
                  api: { type: http, url: "\(server.url)/friends", method: \(method), headers: { Authorization: "${TOKEN}" } }
                pipelines:
                  friends: { format: \(format), tiers: [api] }
                """
            let environment = ConfigEnvironment { $0 == "TOKEN" ? "s3cr3t-t0ken-123" : nil }
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http], environment: environment)
            let pipelines = try Pipelines(report, clock: ManualClock().clock)
            attempt = try await pipelines.pipeline(named: "friends").fetch().attempts.last
            _ = await pipelines.shutDown()
        }
        return try #require(attempt)
    }

    @Test(arguments: ["GET", "POST"])
    func `a body with 200 that is no value is a detail, too`(method: String) async throws {
        let login = try await attempt("<html>\n<title>Sign in</title> s3cr3t-t0ken-123", ["Content-Type: text/html"], method: method)
        #expect(login.outcome == .invalid && login.reason?.contains("expected JSON") == true)
        #expect(login.detail == "<html> <title>Sign in</title> ***")

        let long = try await attempt("<" + String(repeating: "x", count: 300_000), method: method)
        #expect(long.detail == "<" + String(repeating: "x", count: 199) + "…")
        #expect(try await attempt("", method: method).detail == nil)
        #expect(try await attempt("[1", method: method).detail == "[1")
    }

    @Test func `a 304 is a hit that says so, and a 200 is none`() async throws {
        let time = ManualClock()
        let isNew = Mutex(false)
        let script: ScriptedServer.Script = { request in
            request["If-None-Match"] == "\"1\"" && !isNew.withLock(\.self)
                ? Answer.notModified() : Answer.text("[1]", headers: ["ETag: \"1\""])
        }
        try await ScriptedServer.run(script) { server async throws in
            let text = """
                sources:
                  memory: { type: stub }
                  api: { type: http, url: "\(server.url)/friends" }
                pipelines:
                  friends: { tiers: [{ source: memory, ttl: 1s }, api] }
                """
            let memory = StubSource("memory", clock: time.clock)
            let stub = SourcePlugin(cache: "stub", summary: "A cache.", capabilities: [.keepsMetadata]) { _ in memory }
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http, stub])
            let pipelines = try Pipelines(report, clock: time.clock)
            let pipeline = try pipelines.pipeline(named: "friends")

            var reasons: [String?] = []
            for round in 0..<3 {
                isNew.withLock { $0 = round == 2 }
                reasons.append(try await pipeline.fetch().attempts.last?.reason)
                await pipelines.flush()
                time.advance(by: .seconds(2))
            }

            #expect(reasons == [nil, "not modified", nil])
            _ = await pipelines.shutDown()
        }
    }
}
