import Pipeline
import PipelineTesting
import Testing

/// Answers that depend on the header fields of the request.
@Suite(.timeLimit(.minutes(15))) struct VaryTests {
    private static let fresh = "Cache-Control: max-age=3600"

    @Test func `CR-38 fields that are never sent match`() async throws {
        try await CachingScene.run { scene async throws in
            scene.answers([Self.fresh, "Vary: Accept-Encoding, X-Not-Sent"])
            try await scene.fetch()

            #expect(try await scene.fetch().trace == "memory: hit")
            let again = try await scene.restarted("caching: headers")
            #expect(try await again.fetch().trace == "memory: miss, disk: hit")
            #expect(scene.server.requests.count == 1)
            await again.pipelines.shutDown()
        }
    }

    @Test func `CR-08 a copy that was made with another token is a miss, and is not asked about`() async throws {
        try await CachingScene.run("caching: headers, headers: { Authorization: Bearer one }") { scene async throws in
            scene.answers([Self.fresh, "Vary: authorization , accept", "ETag: \"a\""])
            try await scene.fetch()

            let other = try await scene.restarted("caching: headers, headers: { Authorization: Bearer two }")
            let missed = try await other.fetch()
            let hit = try await other.fetch()

            #expect(missed.trace == "memory: miss, disk: miss, database: miss, api: hit")
            #expect(missed.attempts[1].reason == "made for a request with other header fields")
            #expect(hit.trace == "memory: hit")
            #expect(other.sent("If-None-Match") == ["", ""])
            let back = try await other.restarted("caching: headers, headers: { Authorization: Bearer one }")
            #expect(try await back.fetch().trace == "memory: miss, disk: miss, database: miss, api: hit")
            await back.pipelines.shutDown()
        }
    }

    @Test func `other fields may change`() async throws {
        try await CachingScene.run("caching: headers, headers: { Authorization: Bearer one }") { scene async throws in
            scene.answers([Self.fresh, "Vary: Accept"])
            try await scene.fetch()

            let other = try await scene.restarted("caching: headers, headers: { Authorization: Bearer two }")

            #expect(try await other.fetch().trace == "memory: miss, disk: hit")
            await other.pipelines.shutDown()
        }
    }

    @Test func `the value of a field is in no file`() async throws {
        try await CachingScene.run("caching: headers, headers: { X-Secret: hidden-value }", "tiers: [disk, api]") { scene async throws in
            scene.answers([Self.fresh, "Vary: X-Secret"])
            try await scene.fetch()
            try await scene.friends.flush(scene.key)

            let copy = try #require(try await scene.friends.fetch(scene.key).entry)

            #expect(copy.variant?.hasPrefix("x-secret ") ?? false)
            #expect(!(copy.variant ?? "").contains("hidden"))
        }
    }

    @Test(arguments: [
        ("*", "vary: *"), (", *", "vary: *"), ("Foo, *", "vary: *"),
        (String(repeating: "x", count: 2_000), "vary: too many names"),
        ((0..<300).map { "x-\($0)" }.joined(separator: ", "), "vary: too many names"),
    ])
    func `an answer that no other request is known to get is not kept`(field: String, reason: String) async throws {
        try await CachingScene.run { scene async throws in
            scene.answers([Self.fresh, "Vary: \(field)"])

            #expect(try await scene.fetch().writes.map(\.reason) == [reason, reason, reason])
        }
    }
}
