import PipelineTesting
import Testing

@testable import Pipeline

/// What an attempt says besides its reason.
@Suite struct AttemptDetailTests {
    private func detail(_ said: String?, policy: String = "tiers: [network]") async throws -> Attempt {
        let scene = try Scene(policy)
        var error = SourceError("status 503")
        error.detail = said
        scene.network.answers(.error(error))
        return try #require(try await scene.fetch().attempts.last)
    }

    private static let cases: [(String, String?)] = [
        ("out of memory", "out of memory"), ("", nil), (" \n\t ", nil), ("  a\r\n\r\n\tb \u{A0}c ", "a b c"),
        ("a\u{0}\u{1B}[31m", "a\u{FFFD}\u{FFFD}[31m"), (xs(200), xs(200)), (xs(201), xs(200) + "…"), (xs(199) + "é", xs(199) + "…"),
        (xs(200) + " y", xs(200) + "…"), (xs(200) + "\n", xs(200)),
    ]

    private static func xs(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test(arguments: cases)
    func `a detail is the first 200 bytes of what was said, on one line`(said: String, detail: String?) async throws {
        let attempt = try await self.detail(said)

        #expect(attempt.detail == detail)
        #expect(attempt.reason == "status 503")
    }

    @Test func `the detail of the last try is kept`() async throws {
        let scene = try Scene("tiers: [{ source: network, retry: { attempts: 2, base: 0s } }]")
        var error = SourceError("status 503")
        error.detail = "busy"
        scene.network.answers(.error(error))

        let outcome = try await scene.fetch()

        let attempt = try #require(outcome.attempts.last)
        #expect(attempt.reason == "status 503, tried 2 times" && attempt.detail == "busy")
    }

    @Test(arguments: [
        ([UInt8](), "empty: expected JSON"),
        ([0xEF, 0xBB, 0xBF, 0x31], "begins with a byte order mark: expected JSON without one"),
    ])
    func `an answer without content and one with a byte order mark are named for what they are`(
        payload: [UInt8], reason: String
    ) async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(.bytes(payload))

        let attempt = try #require(try await scene.fetch().attempts.last)

        #expect(attempt.outcome == .invalid && attempt.reason == reason)
    }

    @Test func `an empty answer names the status 204 where it has that, and an empty copy does not`() async throws {
        let scene = try Scene("tiers: [disk, network]")
        let empty = Entry([], created: scene.time.now)
        scene.disk.hold(empty, for: scene.key)
        scene.network.answers(.entry(empty.answered(status: 204)))

        let outcome = try await scene.fetch()

        #expect(
            outcome.attempts.map(\.description) == [
                "disk: invalid (empty: expected JSON)", "network: invalid (empty (as the answer 204 is): expected JSON)",
            ])
    }

    @Test func `an origin that confirms a copy says so, and one that gives an equal value does not`() async throws {
        let scene = try Scene("tiers: [{ source: disk, ttl: 10s }, network]")
        scene.network.answers(.value("[1]", etag: "\"1\""))
        try await scene.fetch()
        await scene.pipelines.flush()

        scene.time.advance(by: .seconds(20))
        let confirmed = try await scene.fetch()
        await scene.pipelines.flush()
        scene.network.answers(.value("[1]", etag: "\"2\""))
        scene.time.advance(by: .seconds(20))
        let equal = try await scene.fetch()

        #expect(confirmed.attempts.last?.description == "network: hit (not modified)")
        #expect(equal.attempts.last?.description == "network: hit")
    }
}
