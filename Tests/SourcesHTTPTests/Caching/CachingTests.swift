import Pipeline
import PipelineTesting
import Testing

/// How long copies of an answer are fresh, in memory, in files and in a database.
@Suite(.timeLimit(.minutes(15))) struct CachingTests {
    private static let short = "tiers: [memory, disk, api]"

    @Test func `CR-20 an answer of max-age 60 that is 50 s old is fresh for 10 s`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["Cache-Control: max-age=60", "Age: 50"])

            let first = try await scene.fetch()
            scene.advance(by: 9.999)
            let hit = try await scene.fetch()
            scene.advance(by: 0.001)
            let late = try await scene.fetch()

            #expect((first.age, first.freshFor) == (.seconds(50), .seconds(10)))
            #expect(hit.trace == "memory: hit")
            #expect(late.trace == "memory: expired, disk: expired, database: expired, api: hit")
        }
    }

    @Test func `CR-21 a clock that is an hour fast makes no answer with an Age stale`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["Date: Wed, 31 Dec 2025 23:00:00 GMT", "Age: 0", "Cache-Control: max-age=60"])

            let outcome = try await scene.fetch()

            #expect((outcome.age, outcome.freshFor) == (.zero, .seconds(60)))
        }
    }

    @Test func `a Date that is over a minute back counts where there is no Age`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["Date: Wed, 31 Dec 2025 23:59:00 GMT", "Cache-Control: max-age=100"])
            let near = try await scene.fetch()
            scene.answers(["Date: Wed, 31 Dec 2025 23:58:59 GMT", "Cache-Control: max-age=100"])
            let far = try await scene.fetch(.refresh)

            #expect((near.age, near.freshFor) == (.zero, .seconds(100)))
            #expect((far.age, far.freshFor) == (.seconds(61), .seconds(39)))
        }
    }

    @Test func `CR-22 each tier's ttl only shortens what the answer says`() async throws {
        try await CachingScene.run("caching: headers", "tiers: [{ source: memory, ttl: 10s }, disk, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=60"])

            try await scene.fetch()
            #expect(try await scene.copies() == "memory 0 10, disk 0 60")
            scene.advance(by: 55)
            let promoted = try await scene.fetch()

            #expect(promoted.trace == "memory: expired, disk: hit")
            #expect(try await scene.copies() == "memory 55 5, disk 55 5")
            scene.advance(by: 5)
            #expect(try await scene.fetch().trace == "memory: expired, disk: expired, api: hit")
        }
    }

    @Test(arguments: [
        ("caching: headers", "0"), ("caching: headers, default_freshness: 30s", "30"),
        ("caching: headers, min_freshness: 5s", "5"), ("caching: headers, default_freshness: 30s, max_freshness: 20s", "20"),
        ("caching: headers, default_freshness: heuristic", "100"), ("caching: none", "ever"), ("default_freshness: 30s", "ever"),
    ])
    func `an answer that says nothing is fresh for as long as the file says`(api: String, seconds: String) async throws {
        try await CachingScene.run(api, "tiers: [memory, api]") { scene async throws in
            scene.answers(["Last-Modified: Wed, 31 Dec 2025 23:43:20 GMT", "ETag: \"a\""])

            try await scene.fetch()

            #expect(try await scene.copies() == "memory 0 \(seconds)")
        }
    }

    @Test func `the bounds hold for what the answer says`() async throws {
        try await CachingScene.run("caching: headers, min_freshness: 10s, max_freshness: 1m", "tiers: [memory, api]") {
            scene async throws in
            for (field, seconds) in [("max-age=1", 10), ("max-age=30", 30), ("max-age=99999999999999", 60), ("max-age=0", 10)] {
                scene.answers(["Cache-Control: \(field)"])
                #expect(try await scene.fetch(.refresh).freshFor == .seconds(seconds))
            }
            scene.answers(["Cache-Control: no-cache"])
            #expect(try await scene.fetch(.refresh).freshFor == .zero)
        }
    }

    @Test func `an answer without any use for later is not kept, one that can be confirmed is`() async throws {
        try await CachingScene.run("caching: headers", Self.short) { scene async throws in
            scene.answers([String]())
            #expect(
                try await scene.fetch().writes.map(\.description) == [
                    "memory: skipped (expired already)", "disk: skipped (expired already)",
                ])
            scene.answers(["ETag: \"a\""])
            #expect(try await scene.fetch().writeTrace == "memory: written, disk: written")
        }
    }

    @Test func `refresh_ahead is a share of the time that the copy is fresh`() async throws {
        try await CachingScene.run("caching: headers", "refresh_ahead: 50%\ntiers: [memory, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=60", "Age: 40"])
            try await scene.fetch()

            scene.advance(by: 9.9)
            try await scene.fetch()
            await scene.friends.finishRefreshes()
            #expect(scene.server.requests.count == 1)
            scene.advance(by: 0.1)
            try await scene.fetch()
            await scene.friends.finishRefreshes()
            #expect(scene.server.requests.count == 2)
        }
    }

    @Test func `what is immutable is not refreshed while it is fresh, and is confirmed when it has expired`() async throws {
        try await CachingScene.run("caching: headers", "refresh_ahead: 10%\ntiers: [memory, disk, api]") { scene async throws in
            scene.answers(["Cache-Control: max-age=60, immutable", "ETag: \"a\""])
            try await scene.fetch()

            scene.advance(by: 59)
            try await scene.fetch()
            await scene.friends.finishRefreshes()
            #expect(scene.server.requests.count == 1)
            scene.advance(by: 1)
            try await scene.fetch()
            #expect(scene.sent("If-None-Match") == ["", "\"a\""])
        }
    }

    @Test(arguments: [404, 410])
    func `an absence is remembered for the shorter of not_found_ttl and what the answer says`(status: Int) async throws {
        try await CachingScene.run("caching: headers", "not_found_ttl: 20s\ntiers: [memory, api]") { scene async throws in
            for (headers, seconds) in [([], "20"), (["Cache-Control: max-age=5"], "5"), (["Cache-Control: max-age=60"], "20")] {
                scene.advance(by: 1)
                scene.answers(headers, "", status: status)
                #expect(try await scene.fetch(.refresh).isNotFound)
                #expect(try await scene.copies() == "memory 0 \(seconds)")
            }
            scene.answers(["Cache-Control: no-store"], "", status: status)
            #expect(try await scene.fetch(.refresh).writes.map(\.description) == ["memory: skipped (no-store, the old copy is removed)"])
            #expect(try await scene.copies() == "memory -")
        }
    }

    @Test func `CR-27, CR-07 no-store gives the value, and the old copies go`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(["Cache-Control: max-age=60"])
            try await scene.fetch()
            scene.advance(by: 60)
            scene.answers(["Cache-Control: no-store, max-age=60"], "[2]")

            let outcome = try await scene.fetch()

            #expect(outcome.text == "[2]")
            let reason = "skipped (no-store, the old copy is removed)"
            #expect(outcome.writes.map(\.description) == ["memory: \(reason)", "disk: \(reason)", "database: \(reason)"])
            try await scene.friends.flush(scene.key)
            #expect(try await scene.copies() == "memory -, disk -, database -")
            scene.answers(Answer.text("", status: 500))
            #expect(try await scene.fetch().failure != nil)
        }
    }

    @Test func `no-store is for those that do not know the status where the answer says must-understand`() async throws {
        try await CachingScene.run("caching: headers, accept_status: [2xx, 599]", "tiers: [memory, api]") { scene async throws in
            scene.answers(["Cache-Control: no-store, must-understand, max-age=60"])
            #expect(try await scene.fetch().writeTrace == "memory: written")
            scene.answers(["Cache-Control: must-understand, max-age=60"], status: 599)
            #expect(
                try await scene.fetch(.refresh).writes.map(\.description) == ["memory: skipped (must-understand, the old copy is removed)"])
        }
    }

    @Test(arguments: [
        (["Cache-Control: private, max-age=60"], "private"), (["Cache-Control: private=\"x\", max-age=60"], "private"),
        (["Cache-Control: max-age=60"], "authorization"), (["Vary: *", "Cache-Control: max-age=60, public"], "vary: *"),
    ])
    func `CR-39 a shared cache keeps nothing that is for one user`(headers: [String], reason: String) async throws {
        try await CachingScene.run("caching: shared, headers: { Authorization: secret }") { scene async throws in
            scene.answers(headers)

            let outcome = try await scene.fetch()

            #expect(outcome.text == "[1]")
            #expect(outcome.writes.map(\.reason) == [reason, reason, reason])
        }
    }

    @Test(arguments: [("max-age=60, public", "60"), ("s-maxage=30, max-age=60", "30"), ("max-age=60, must-revalidate", "60")])
    func `CR-39 a shared cache keeps what is for all, and s-maxage wins there`(field: String, seconds: String) async throws {
        for (caching, expected) in [("shared", seconds), ("private", "60")] {
            try await CachingScene.run("caching: \(caching), headers: { Authorization: secret }", "tiers: [memory, api]") {
                scene async throws in
                scene.answers(["Cache-Control: \(field)"])
                #expect(try await scene.fetch().writeTrace == "memory: written")
                #expect(try await scene.copies() == "memory 0 \(expected)")
            }
        }
    }

    @Test(
        arguments: [
            [.text(Answer.head(headers: ["Cache-Control: max-age=60", "Content-Length: 10"])), .text("[1]"), .close],
            Answer.text("[1]", status: 206, headers: ["Cache-Control: max-age=60", "Content-Range: bytes 0-2/9"]),
            Answer.bytes(Array(Answer.gzip.dropLast(4)), headers: ["Cache-Control: max-age=60", "Content-Encoding: gzip"]),
            Answer.text("no JSON", headers: ["Cache-Control: max-age=60"]),
        ] as [[ScriptedServer.Step]])
    func `CR-40, CR-09 what is broken or a part is kept nowhere`(steps: [ScriptedServer.Step]) async throws {
        try await CachingScene.run { scene async throws in
            scene.answers(steps)

            let outcome = try await scene.fetch()

            #expect(outcome.failure != nil)
            #expect(outcome.writes.isEmpty)
            #expect(try await scene.copies() == "memory -, disk -, database -")
        }
    }
}
