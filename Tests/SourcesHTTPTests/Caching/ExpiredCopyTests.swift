import Pipeline
import PipelineTesting
import SourcesMemory
import Testing

/// What becomes of expired copies: confirmation in every cache, windows, and failures.
@Suite(.timeLimit(.minutes(15))) struct ExpiredCopyTests {
    private static let all = "memory: expired, disk: expired, database: expired, api: hit"

    @Test func `CR-01, CR-02, CR-32 a 304 with max-age renews every copy, and ten reads ask nobody`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["Cache-Control: max-age=10", "ETag: \"a\"", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"])
            try await scene.fetch()
            scene.advance(by: 20)
            scene.answers(Answer.notModified(["Cache-Control: max-age=60", "ETag: \"a\"", "Content-Type: text/odd"]))

            let confirmed = try await scene.fetch()

            #expect(confirmed.text == "[1]")
            #expect(confirmed.trace == Self.all)
            #expect(confirmed.writeTrace == "memory: renewed, disk: renewed, database: renewed")
            #expect(try await scene.copies() == "memory 0 60, disk 0 60, database 0 60")
            #expect(scene.sent("If-None-Match") == ["", "\"a\""])
            #expect(scene.sent("If-Modified-Since") == ["", "Thu, 01 Jan 2026 00:00:00 GMT"])
            #expect(try confirmed.entry.map { $0.contentType == nil } ?? false)
            scene.advance(by: 59)
            for _ in 0..<10 { #expect(try await scene.fetch().trace == "memory: hit") }
            let again = try await scene.restarted("caching: headers")
            #expect(try await again.fetch().trace == "memory: miss, disk: hit")
            #expect(scene.server.requests.count == 2)
            await again.pipelines.shutDown()
        }
    }

    @Test func `CR-33 a 304 without fields renews by what was said before, and the old Age no longer counts`() async throws {
        for said in ["Cache-Control: max-age=60", "Expires: Thu, 01 Jan 2026 00:01:00 GMT"] {
            try await CachingScene.run { scene async throws in
                scene.answers([said, "Date: Thu, 01 Jan 2026 00:00:00 GMT", "Age: 50", "ETag: \"a\""])
                try await scene.fetch()
                scene.advance(by: 10)
                scene.answers(Answer.notModified())

                let confirmed = try await scene.fetch()

                #expect((confirmed.age, confirmed.freshFor) == (.zero, .seconds(60)))
                #expect(try await scene.copies() == "memory 0 60, disk 0 60, database 0 60")
            }
        }
    }

    @Test(arguments: [
        // Of a 304 with a `Date` the moment of expiry counts, without one the time that was said.
        (3.2, ["Date: Thu, 01 Jan 2026 00:00:03 GMT"], 0), (20, ["Date: Thu, 01 Jan 2026 00:00:20 GMT", "ETag: \"a\""], 0),
        (3.2, [], 2), (3.2, ["Date: Thu, 01 Jan 2026 00:00:03 GMT", "Expires: Thu, 01 Jan 2026 00:00:08 GMT"], 5),
        (3.2, ["Date: Thu, 01 Jan 2026 00:00:03 GMT", "Cache-Control: max-age=7"], 7),
        (3.2, ["Date: Thu, 01 Jan 2026 00:00:03 GMT", "Expires: 0"], 0),
    ])
    func `a 304 without Expires renews no Expires that has passed`(moment: Double, fields: [String], fresh: Int64) async throws {
        try await CachingScene.run("caching: headers", "tiers: [memory, disk, api]") { scene async throws in
            scene.answers(["Date: Thu, 01 Jan 2026 00:00:00 GMT", "Expires: Thu, 01 Jan 2026 00:00:02 GMT", "ETag: \"a\""])
            try await scene.fetch()
            scene.advance(by: moment)
            scene.answers(Answer.notModified(fields))

            let confirmed = try await scene.fetch()

            #expect(confirmed.text == "[1]" && confirmed.freshFor == .seconds(fresh))
            try await scene.friends.flush(scene.key)
            let next = try await scene.fetch()
            #expect(next.text == "[1]" && scene.server.requests.count == (fresh > 0 ? 2 : 3))
            if fresh == 0 { #expect(scene.sent("If-None-Match").last == "\"a\"") }
        }
    }

    @Test func `a copy in a restarted process is renewed by what was said before`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["Cache-Control: max-age=60, must-revalidate", "ETag: \"a\"", "Vary: Accept"])
            try await scene.fetch()
            let again = try await scene.restarted("caching: headers")
            scene.advance(by: 100)
            scene.answers(Answer.notModified())

            #expect(try await again.fetch().freshFor == .seconds(60))
            #expect(try await again.copies() == "memory 0 60, disk 0 60, database 0 60")
            await again.pipelines.shutDown()
        }
    }

    @Test func `the newest of the expired copies is asked about`() async throws {
        try await CachingScene.run("caching: headers", "write_back: { api: [disk] }\ntiers: [memory, disk, api]") { scene async throws in
            _ = try await scene.friends.fetch(scene.key)
            let old = Entry(
                Array("[0]".utf8), created: scene.time.now, freshUntil: scene.time.now + .seconds(1), etag: "\"old\"", source: "api")
            try await scene.memory.write(old, for: scene.key)
            scene.advance(by: 1)
            scene.answers(["Cache-Control: max-age=1", "ETag: \"new\""])
            try await scene.fetch()
            scene.advance(by: 1)
            scene.answers(Answer.notModified())

            let outcome = try await scene.fetch()

            #expect(outcome.text == "[1]")
            #expect(scene.sent("If-None-Match").last == "\"new\"")
        }
    }

    @Test func `the copy of a cache below the origin is asked about, fresh or not`() async throws {
        try await CachingScene.run("caching: headers", "tiers: [api, memory, disk]") { scene async throws in
            scene.answers(["Cache-Control: max-age=10", "ETag: \"a\""])
            try await scene.fetch()
            scene.answers(Answer.notModified())
            scene.advance(by: 1)
            let fresh = try await scene.fetch()
            scene.advance(by: 20)
            let expired = try await scene.fetch()
            scene.answers(Answer.text("", status: 500))
            scene.advance(by: 5)
            let failed = try await scene.fetch()

            #expect(scene.sent("If-None-Match") == ["", "\"a\"", "\"a\"", "\"a\""])
            #expect((fresh.trace, expired.trace) == ("api: hit", "api: hit"))
            #expect(fresh.writeTrace == "memory: renewed, disk: renewed")
            #expect(failed.trace == "api: error, memory: hit")
        }
    }

    @Test func `CR-04 a copy that is kept to be confirmed is never served unconfirmed`() async throws {
        try await CachingScene.run("caching: headers", "stale_if_error: 1d\nstale_while_revalidate: 1d\ntiers: [memory, disk, api]") {
            scene in
            scene.answers(["Cache-Control: no-cache", "ETag: \"a\""])
            #expect(try await scene.fetch().writeTrace == "memory: written, disk: written")
            scene.answers(Answer.notModified())

            let confirmed = try await scene.fetch()
            scene.answers(Answer.text("", status: 503))
            let failed = try await scene.fetch()

            #expect(confirmed.trace == "memory: expired, disk: expired, api: hit")
            #expect(confirmed.text == "[1]")
            #expect(failed.failure != nil)
        }
    }

    @Test func `CR-29 must-revalidate closes the windows of the pipeline and its soft timeout`() async throws {
        let pipeline = "stale_if_error: 1d\nstale_while_revalidate: 1d\ntiers: [memory, { source: api, soft_timeout: 1s }]"
        try await CachingScene.run("caching: headers, timeout: 3s", pipeline) { scene async throws in
            scene.answers(["Cache-Control: max-age=1, must-revalidate"])
            try await scene.fetch()
            scene.advance(by: 2)
            scene.answers(Answer.text("", status: 500))
            #expect(try await scene.fetch().trace == "memory: expired, api: error")

            scene.answers([ScriptedServer.Step]())
            async let late = scene.fetch()
            while scene.server.requests.count < 3 { try await turn() }
            await scene.time.sleepers(atLeast: 1)
            scene.advance(by: 3)
            #expect(try await late.trace == "memory: expired, api: timeout")
        }
    }

    @Test func `CR-30 stale-while-revalidate of the answer opens a window from expiry on`() async throws {
        try await CachingScene.run("caching: headers", "tiers: [memory, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=1, stale-while-revalidate=4", "ETag: \"a\""])
            try await scene.fetch()

            scene.advance(by: 4.9)
            scene.answers(["Cache-Control: max-age=1, stale-while-revalidate=4"], "[2]")
            let stale = try await scene.fetch()
            await scene.friends.finishRefreshes()
            #expect((stale.text, stale.isStale, scene.server.requests.count) == ("[1]", true, 2))
            scene.advance(by: 5)
            let waited = try await scene.fetch()

            #expect(waited.trace == "memory: expired, api: hit")
        }
    }

    @Test func `a window of the pipeline wins over that of the answer`() async throws {
        try await CachingScene.run("caching: headers", "stale_while_revalidate: 1s\ntiers: [memory, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=1, stale-while-revalidate=100"])
            try await scene.fetch()
            scene.advance(by: 2)

            #expect(try await scene.fetch().trace == "memory: expired, api: hit")
        }
    }

    @Test(arguments: [Answer.text("", status: 503), [.reset], []] as [[ScriptedServer.Step]])
    func `CR-31 stale-if-error of the answer holds when the confirmation fails`(steps: [ScriptedServer.Step]) async throws {
        try await CachingScene.run("caching: headers, timeout: 2s", "tiers: [memory, disk, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=1, stale-if-error=60", "ETag: \"a\""])
            try await scene.fetch()
            scene.advance(by: 10)
            scene.answers(steps)

            async let fetch = scene.fetch()
            while scene.server.requests.count < 2 { try await turn() }
            if steps.isEmpty {
                await scene.time.sleepers(atLeast: 1)
                scene.advance(by: 2)
            }
            let stale = try await fetch

            #expect((stale.text, stale.isStale) == ("[1]", true))
            #expect(scene.sent("If-None-Match").last == "\"a\"")
        }
    }

    @Test(arguments: [
        (500, true), (502, true), (503, true), (504, true), (400, false), (401, false), (403, false), (405, false), (408, false),
        (409, false), (418, false), (422, false), (425, false),
        (429, false), (451, false), (499, false), (501, false), (505, false), (507, false), (511, false), (599, false), (300, false),
        (302, false), (303, false), (307, false),
    ])
    func `stale-if-error of the answer is for 500, 502, 503 and 504, and that of the pipeline for any failure`(status: Int, isServed: Bool)
        async throws
    {
        for (pipeline, isServed) in [("tiers: [memory, disk, api]", isServed), ("stale_if_error: 60s\ntiers: [memory, disk, api]", true)] {
            try await CachingScene.run("caching: headers", pipeline) { scene async throws in
                scene.answers(["Cache-Control: max-age=1, stale-if-error=60", "ETag: \"a\""])
                try await scene.fetch()
                scene.advance(by: 10)
                scene.answers([], "no", status: status)

                let outcome = try await scene.fetch()

                #expect((outcome.text, outcome.isStale) == (isServed ? "[1]" : nil, isServed))
                #expect(outcome.attempts.last?.reason?.hasPrefix("status \(status) from ") == true)
            }
        }
    }

    @Test(arguments: ["Location: /", "Location: ftp://x/", "Location:"])
    func `a redirect that leads nowhere opens no window of the answer`(location: String) async throws {
        try await CachingScene.run("caching: headers", "tiers: [memory, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=1, stale-if-error=60"])
            try await scene.fetch()
            scene.advance(by: 10)
            scene.answers([location], "", status: 302)

            #expect(try await scene.fetch().failure != nil)
        }
    }

    @Test(
        arguments: [
            Answer.text("<html>", headers: ["Content-Encoding: gzip"]), Answer.text("x", headers: ["Transfer-Encoding: br"]),
            [.text("nonsense\r\n\r\n"), .close],
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1"), .close], Answer.text("no JSON"),
        ] as [[ScriptedServer.Step]])
    func `an answer that cannot be read counts as 502 does for stale-if-error`(steps: [ScriptedServer.Step]) async throws {
        try await CachingScene.run("caching: headers", "tiers: [memory, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=1, stale-if-error=60"])
            try await scene.fetch()
            scene.advance(by: 10)
            scene.answers(steps)

            let outcome = try await scene.fetch()

            #expect((outcome.text, outcome.isStale) == ("[1]", true))
        }
    }

    @Test(arguments: [
        Answer.notModified(["ETag: \"other\""]), Answer.notModified(["ETag: W/\"other\"", "Cache-Control: max-age=60"]),
    ])
    func `CR-36 a 304 about something else is asked again plainly, and twice it is invalid`(steps: [ScriptedServer.Step]) async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["ETag: \"a\""])
            try await scene.fetch()
            scene.answers(steps)

            let outcome = try await scene.fetch()

            #expect(outcome.trace == "memory: expired, disk: expired, database: expired, api: invalid")
            #expect(scene.sent("If-None-Match") == ["", "\"a\"", ""])
        }
    }

    @Test func `CR-36 a 304 that nobody asked for is asked again plainly`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(Answer.notModified(["ETag: \"a\""]))

            let outcome = try await scene.fetch()

            #expect(outcome.trace == "memory: miss, disk: miss, database: miss, api: invalid")
            #expect(outcome.attempts.last?.reason?.hasSuffix("though nothing was asked to be confirmed") ?? false)
            #expect(scene.server.requests.count == 2)
        }
    }

    @Test func `a 304 with the same etag, weak or strong, confirms`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["ETag: W/\"a\""])
            try await scene.fetch()
            scene.answers(Answer.notModified(["ETag: \"a\"", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"]))

            let outcome = try await scene.fetch()

            #expect(try outcome.entry?.etag == "W/\"a\"")
            #expect(try outcome.entry?.lastModified == "Thu, 01 Jan 2026 00:00:00 GMT")
            #expect(outcome.attempts.last?.reason == "not modified")
        }
    }

    @Test func `a 304 that says no-store gives the value, and the copies go`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["ETag: \"a\"", "Cache-Control: max-age=1"])
            try await scene.fetch()
            scene.advance(by: 1)
            scene.answers(Answer.notModified(["Cache-Control: no-store"]))

            #expect(try await scene.fetch().text == "[1]")
            try await scene.friends.flush(scene.key)
            #expect(try await scene.copies() == "memory -, disk -, database -")
        }
    }
}
