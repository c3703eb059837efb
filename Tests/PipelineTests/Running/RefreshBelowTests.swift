import PipelineTesting
import Testing

@testable import Pipeline

/// A refresh asks the caches below its copy before the origin.
@Suite struct RefreshBelowTests {
    private static func tiers(_ policies: String) -> String {
        policies + "\ntiers: [{ source: memory, ttl: 30s }, { source: disk, ttl: 10m }, network]"
    }

    @Test(arguments: ["stale_while_revalidate: 1m", "refresh_ahead: 0.8", "refresh_ahead: 0.8\nstale_while_revalidate: 1m"])
    func `a window asks the origin no more often while the disk is fresh`(policies: String) async throws {
        let scene = try Scene(Self.tiers(policies))

        // Up to when the copy of the disk is due itself.
        for _ in 0..<95 {
            #expect(try await !scene.fetch().isStale)
            await scene.friends.finishRefreshes()
            scene.time.advance(by: .seconds(5))
        }

        #expect(scene.network.readCount == 1)
    }

    @Test func `a fresh copy below wins over a stale one, and renews it`() async throws {
        let scene = try Scene(Self.tiers("stale_while_revalidate: 1m"))
        try await scene.fetch()
        scene.time.advance(by: .seconds(31))

        let fresh = try await scene.fetch()
        let next = try await scene.fetch()

        #expect(fresh.trace == "memory: expired, disk: hit")
        #expect(!fresh.isStale && fresh.freshFor == .seconds(569) && next.freshFor == .seconds(30))
        #expect(next.trace == "memory: hit")
        #expect(scene.network.readCount == 1)
    }

    @Test func `a copy below that takes longer than 10 ms comes with the refresh`() async throws {
        let scene = try Scene(Self.tiers("stale_while_revalidate: 1m"))
        try await scene.fetch()
        scene.time.advance(by: .seconds(31))
        let gate = Gate()
        scene.disk.answers(.value("[\"other\"]").after(gate), .value("[\"v3\"]"))

        async let outcome = scene.fetch()
        await scene.disk.reads(atLeast: 2)
        scene.time.advance(by: .milliseconds(10))
        let stale = try await outcome
        await scene.friends.finishRefreshes()
        gate.open()

        #expect(stale.trace == "memory: stale")
        #expect(scene.memoryText == "[\"v3\"]")
        #expect(scene.network.readCount == 1)
    }

    @Test func `a disk that fails, or has nothing fresh, leaves the stale copy, and the origin refreshes it`() async throws {
        for (answer, word) in [(StubAnswer.error(), "error"), (.miss, "miss")] {
            let scene = try Scene(Self.tiers("stale_while_revalidate: 1m"))
            try await scene.fetch()
            scene.time.advance(by: .seconds(31))
            scene.network.answers("[\"v2\"]")
            scene.disk.answers(answer)

            let stale = try await scene.fetch()
            await scene.friends.finishRefreshes()

            #expect(stale.trace == "memory: stale, disk: \(word)")
            #expect(scene.memoryText == "[\"v2\"]")
            #expect(scene.network.readCount == 2)
        }
    }

    @Test func `a copy ahead of its time is renewed from below while that lives longer, and then by the origin`() async throws {
        let scene = try Scene("refresh_ahead: 0.5\ntiers: [{ source: memory, ttl: 30s }, { source: disk, ttl: 70s }, network]")
        try await scene.fetch()

        var calls: [Int] = []
        for _ in 0..<4 {
            scene.time.advance(by: .seconds(20))
            #expect(try await scene.fetch().trace == "memory: hit")
            await scene.friends.finishRefreshes()
            calls.append(scene.network.readCount)
        }

        // At 20 s memory is renewed until 50 s, and at 40 s until 70 s, as long as the disk. At 60 s the disk has nothing more to give.
        #expect(calls == [1, 1, 2, 2])
    }

    @Test func `an older copy below never takes the place of a newer one`() async throws {
        let scene = try Scene(Self.tiers("stale_while_revalidate: 1m"))
        try await scene.fetch()
        let old = try #require(scene.disk[scene.key])
        scene.network.answers("[\"v2\"]")
        scene.time.advance(by: .seconds(1))
        try await scene.fetch(.refresh)
        scene.disk.hold(old, for: scene.key)
        scene.network.answers("[\"v3\"]")
        scene.time.advance(by: .seconds(31))

        let stale = try await scene.fetch()
        await scene.friends.finishRefreshes()
        await scene.pipelines.flush()

        #expect(stale.trace == "memory: stale, disk: miss" && stale.text == "[\"v2\"]")
        #expect(scene.memoryText == "[\"v3\"]" && scene.diskText == "[\"v3\"]")
    }

    @Test func `a refresh that the caller asks for reads no cache`() async throws {
        let scene = try Scene(Self.tiers("stale_while_revalidate: 1m"))
        try await scene.fetch()
        scene.time.advance(by: .seconds(31))

        #expect(try await scene.fetch(.refresh).trace == "memory: skipped, disk: skipped, network: hit")
        #expect(scene.network.readCount == 2)
    }

    @Test func `the origin confirms the copy that a refresh found no newer below`() async throws {
        let scene = try Scene("refresh_ahead: 0.5\ntiers: [{ source: memory, ttl: 30s }, { source: disk, ttl: 30s }, network]")
        scene.network.answers(.value("[1]", etag: "\"a\""))
        try await scene.fetch()
        scene.time.advance(by: .seconds(20))

        try await scene.fetch()
        await scene.friends.finishRefreshes()
        await scene.pipelines.flush()

        #expect(scene.network.notModifiedCount == 1)
        #expect(try await scene.fetch().freshFor == .seconds(30))
        #expect(scene.disk[scene.key]?.freshUntil?.duration(since: scene.time.clock.now) == .seconds(30))
    }
}
