import Pipeline
import PipelineConfig
import PipelineTesting
import SourcesHTTP
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceAnswerTests {
    @Test func `an answer is an entry with its validators and its type, created before the request`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { _ in
            time.advance(by: .seconds(3))
            return Answer.text(
                "[1]", headers: ["ETag: W/\"a\"", "Last-Modified: Wed, 21 Oct 2026 07:28:00 GMT", "Content-Type: application/json"])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/friends", clock: time.clock) { source async throws in
                let start = time.now

                let entry = try await source.read(Key(pipeline: "friends"))

                let expected = Entry(
                    Array("[1]".utf8), created: start, etag: "W/\"a\"", lastModified: "Wed, 21 Oct 2026 07:28:00 GMT",
                    contentType: "application/json")
                #expect(entry == expected)
                #expect(server.requests.map(\.line) == ["GET /friends HTTP/1.1"])
            }
        }
    }

    @Test func `Last-Modified is kept without an ETag`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1", headers: ["Last-Modified: yesterday"]) }) { server async throws in
            try await withSource(server.url) { source async throws in
                let entry = try await source.read(Key(pipeline: "friends"))

                #expect(entry?.lastModified == "yesterday")
                #expect(entry?.etag == nil)
                #expect(entry?.hasValidator == true)
            }
        }
    }

    @Test(arguments: [200, 201, 202, 203, 299])
    func `a status of success is a value`(status: Int) async throws {
        try await ScriptedServer.run({ _ in Answer.text("1", status: status) }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.text() == "1")
            }
        }
    }

    @Test func `204 is an empty value`() async throws {
        try await ScriptedServer.run({ _ in [.text(Answer.head(status: 204, headers: []))] }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.text() == "")
            }
        }
    }

    @Test(arguments: [206, 300, 305, 400, 401, 403, 429, 500, 502, 503, 599])
    func `CR-09 any other status is an error that names it, without query and password`(status: Int) async throws {
        try await ScriptedServer.run({ _ in Answer.text("secret", status: status) }) { server async throws in
            try await withSource("http://me:password@\(server.authority)/friends?token=abc") { source async throws in
                #expect(await source.failure() == "status \(status) from \(server.url)/friends")
            }
        }
    }

    @Test(arguments: [404, 410])
    func `404 and 410 say that there is none`(status: Int) async throws {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in Answer.text("nobody", status: status) }) { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                #expect(try await source.read(Key(pipeline: "friends")) == .notFound(created: time.now))
            }
        }
    }

    @Test(arguments: [404, 410, 206, 302, 503])
    func `a status that is listed by itself is a value`(status: Int) async throws {
        let script: ScriptedServer.Script = { _ in Answer.text("here", status: status, headers: ["Location: /elsewhere"]) }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.accepted = AcceptedStatuses([StatusPattern(status...status)])
            } _: { source async throws in
                #expect(try await source.text() == "here")
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a class of statuses does not make a value of 404 or 206`() async throws {
        let statuses: ScriptedServer.Script = { Answer.text("here", status: Int($0.target.dropFirst()) ?? 0) }
        try await ScriptedServer.run(statuses) { server async throws in
            try await withSource("\(server.url)/{user}") {
                $0.accepted = AcceptedStatuses([StatusPattern(200...599)])
            } _: { source async throws in
                #expect(try await source.read(.user("404"))?.isNotFound == true)
                #expect(await source.failure(.user("206")) == "status 206 from \(server.url)/206")
                #expect(try await source.text(.user("403")) == "here")
            }
        }
    }

    @Test func `one connection serves read after read`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                for _ in 0..<5 { #expect(try await source.text() == "1") }

                #expect(server.requests.count == 5)
                #expect(server.connections == 1)
            }
        }
    }

    @Test func `1,000 reads at the same time go through`() async throws {
        try await ScriptedServer.run({ Answer.text($0.target) }) { server async throws in
            try await withSource("\(server.url)/{user}") { source async throws in
                let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<1_000 {
                        group.addTask { try await source.text(.user("\(number)")) == "/\(number)" }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }

                #expect(answers == 1_000)
                #expect(server.requests.count == 1_000)
            }
        }
    }

    @Test func `it keeps the contract of an origin`() async throws {
        let script: ScriptedServer.Script = { request in
            guard request.target == "/users/42" else { return Answer.text("", status: 404) }
            return request["If-None-Match"] == "\"1\"" ? Answer.notModified() : Answer.text("{}", headers: ["ETag: \"1\""])
        }
        try await ScriptedServer.run(script) { server async throws in
            let violations = await SourceConformance.ofOrigin(
                make: { HTTPSource(HTTPSettings(url: try .written("\(server.url)/users/{user}")), clock: .system) },
                existing: .user("42"), expected: Array("{}".utf8), missing: .user("43"))

            #expect(violations.isEmpty)
        }
    }
}
