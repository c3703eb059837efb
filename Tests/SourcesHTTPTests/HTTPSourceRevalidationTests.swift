import Pipeline
import PipelineTesting
import SourcesHTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceRevalidationTests {
    @Test func `CR-01 4 requests, 3 conditional, 2 full, 2 not modified`() async throws {
        let time = ManualClock()
        let version = Mutex("1")
        let script: ScriptedServer.Script = { request in
            let tag = "\"\(version.withLock { $0 })\""
            return request["If-None-Match"] == tag
                ? Answer.notModified(["ETag: \(tag)"]) : Answer.text("value \(tag)", headers: ["ETag: \(tag)"])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                let key = Key(pipeline: "friends")

                let first = try #require(try await source.read(key))
                time.advance(by: .seconds(60))
                let second = try #require(try await source.read(key, ReadContext(confirming: first)))
                time.advance(by: .seconds(60))
                let third = try #require(try await source.read(key, ReadContext(confirming: second)))
                version.withLock { $0 = "2" }
                let fourth = try #require(try await source.read(key, ReadContext(confirming: third)))

                #expect([first, second, third].allSatisfy { $0.payload == Array("value \"1\"".utf8) && $0.etag == "\"1\"" })
                #expect(second.created.duration(since: first.created) == .seconds(60))
                #expect(third.created == time.now)
                #expect(fourth.payload == Array("value \"2\"".utf8))
                #expect(fourth.etag == "\"2\"")
                #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"1\"", "\"1\"", "\"1\""])
            }
        }
    }

    @Test func `CR-02 a 304 gives a new time, and its validators replace the known ones`() async throws {
        let time = ManualClock()
        let fields = ["ETag: W/\"old\"", "Last-Modified: today", "Content-Encoding: gzip"]
        let script: ScriptedServer.Script = { _ in Answer.notModified(fields) }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                let known = Entry(
                    [1], created: time.now - .seconds(60), stored: time.now, freshUntil: time.now, etag: "\"old\"",
                    lastModified: "yesterday", contentType: "image/png", version: "7", source: "api")

                let confirmed = try await source.read(Key(pipeline: "friends"), ReadContext(confirming: known))

                let expected = Entry(
                    [1], created: time.now, etag: "W/\"old\"", lastModified: "today", contentType: "image/png", version: "7")
                #expect(confirmed == expected)
                #expect(server.requests.first?["If-None-Match"] == "\"old\"")
                #expect(server.requests.first?["If-Modified-Since"] == "yesterday")
            }
        }
    }

    @Test(arguments: [
        Entry([1], created: .distantPast), .notFound(created: .distantPast),
    ])
    func `CR-03 without a validator or a payload the request is plain`(known: Entry) async throws {
        try await ScriptedServer.run({ _ in Answer.text("2") }) { server async throws in
            try await withSource(server.url) { source async throws in
                let entry = try await source.read(Key(pipeline: "friends"), ReadContext(confirming: known))

                #expect(entry?.payload == Array("2".utf8))
                #expect(server.requests.first?["If-None-Match"] == nil)
                #expect(server.requests.first?["If-Modified-Since"] == nil)
            }
        }
    }

    @Test func `a POST is not conditional`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("2") }) { server async throws in
            try await withSource(server.url) {
                $0.method = .post
            } _: { source async throws in
                let known = Entry([1], created: .distantPast, etag: "\"1\"")
                _ = try await source.read(Key(pipeline: "friends"), ReadContext(confirming: known))
                #expect(server.requests.first?["If-None-Match"] == nil)
            }
        }
    }

    @Test func `the conditions go along with a redirect`() async throws {
        let script: ScriptedServer.Script = { $0.target == "/" ? Answer.redirect(302, to: "/there") : Answer.notModified() }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) { source async throws in
                let known = Entry([1], created: .distantPast, etag: "\"1\"")

                #expect(try await source.read(Key(pipeline: "friends"), ReadContext(confirming: known))?.payload == [1])
                #expect(server.requests.map { $0["If-None-Match"] } == ["\"1\"", "\"1\""])
            }
        }
    }

    @Test func `what is gone is not found, and what fails is an error`() async throws {
        let statuses: ScriptedServer.Script = { Answer.text("", status: Int($0.target.dropFirst()) ?? 0) }
        try await ScriptedServer.run(statuses) { server async throws in
            try await withSource("\(server.url)/{user}") { source async throws in
                let known = Entry([1], created: .distantPast, etag: "\"1\"")

                #expect(try await source.read(.user("410"), ReadContext(confirming: known))?.isNotFound == true)
                await #expect(throws: SourceError.self) { try await source.read(.user("500"), ReadContext(confirming: known)) }
            }
        }
    }

    @Test func `CR-36 a 304 that nobody asked for is asked again, and twice it is invalid`() async throws {
        try await ScriptedServer.run({ _ in Answer.notModified() }) { server async throws in
            try await withSource(server.url) { source async throws in
                let failure = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }

                #expect(failure?.reason == "status 304 from \(server.url)/, though nothing was asked to be confirmed")
                #expect(failure?.kind == .invalid)
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `CR-36 a 304 with another etag is asked again plainly`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { request in
            request["If-None-Match"] == nil
                ? Answer.text("2", headers: ["ETag: \"new\""]) : Answer.notModified(["ETag: \"new\""])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                let known = Entry([1], created: time.now - .seconds(60), etag: "\"old\"", lastModified: "yesterday")

                let entry = try await source.read(Key(pipeline: "friends"), ReadContext(confirming: known))

                #expect(entry?.payload == Array("2".utf8) && entry?.etag == "\"new\"")
                #expect(server.requests.map { $0["If-None-Match"] } == ["\"old\"", nil])
                #expect(server.requests.map { $0["If-Modified-Since"] } == ["yesterday", nil])
            }
        }
    }

    @Test func `a POST that is answered with 304 is not sent again`() async throws {
        try await ScriptedServer.run({ _ in Answer.notModified() }) { server async throws in
            try await withSource(server.url) {
                $0.method = .post
            } _: { source async throws in
                await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test(arguments: ["", "\"\"", "W/\"\"", "\"" + String(repeating: "a", count: 1_100) + "\"", "\"\u{FFFD}\""])
    func `an entity tag that is empty, over 1 KB or no text is ignored`(tag: String) async throws {
        // What is not UTF-8 looks like U+FFFD here: two such tags could be taken for one.
        let head = Answer.head(headers: ["Content-Length: 1", "ETag: TAG"]).split(separator: "TAG").map { Array($0.utf8) }
        let bytes = tag.contains("\u{FFFD}") ? [0x22, 0xFF, 0x22] : Array(tag.utf8)
        try await ScriptedServer.run({ _ in [.bytes(head[0] + bytes + head[1] + [0x31])] }) { server async throws in
            try await withSource(server.url) { source async throws in
                let entry = try #require(try await source.read(Key(pipeline: "friends")))
                #expect(entry.etag == nil)

                let stored = Entry([1], created: .distantPast, etag: tag, lastModified: "yesterday")
                _ = try await source.read(Key(pipeline: "friends"), ReadContext(confirming: stored))
                #expect(server.requests.last?["If-None-Match"] == nil)
                #expect(server.requests.last?["If-Modified-Since"] == "yesterday")
            }
        }
    }

    @Test func `a stored validator with a line break does not get onto the wire`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("2") }) { server async throws in
            try await withSource(server.url) { source async throws in
                let known = Entry([1], created: .distantPast, etag: "\"1\"\r\nX-Admin: 1", lastModified: "yesterday")

                #expect(try await source.read(Key(pipeline: "friends"), ReadContext(confirming: known))?.payload == Array("2".utf8))
                #expect(server.requests.first?["X-Admin"] == nil)
                #expect(server.requests.first?["If-Modified-Since"] == "yesterday")
            }
        }
    }
}
