import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite struct OfflineTests {
    @Test func `offline serves an expired copy of any age, asks no origin and says why`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1m }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(86_400 * 3))

        let outcome = try await scene.fetch(.offline)

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.trace == "memory: stale, disk: expired, network: skipped")
        #expect(outcome.staleReason == "expired 2d23h59m59s ago, policy offline")
        #expect(outcome.age == .seconds(86_400 * 3))
        #expect(outcome.attempts[2].reason == "policy offline")
        #expect(scene.network.readCount == 1)
    }

    @Test func `offline serves the newest of several expired copies`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1m }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(100))
        scene.disk.hold("[\"newer\"]", for: scene.key)
        scene.time.advance(by: .seconds(100))

        let outcome = try await scene.fetch(.offline)

        #expect(outcome.text == "[\"newer\"]")
        #expect(outcome.source == "disk")
    }

    @Test func `offline answers with a fresh copy as such, refreshes nothing and promotes it`() async throws {
        let scene = try Scene("refresh_ahead: 0.1\ntiers: [memory, { source: disk, ttl: 1m }, network]")
        scene.disk.hold("[1]", for: scene.key)
        scene.time.advance(by: .seconds(50))

        let outcome = try await scene.fetch(.offline)

        #expect(!outcome.isStale)
        #expect(outcome.writeTrace == "memory: written")
        await scene.friends.finishRefreshes()
        #expect(scene.network.readCount == 0)
    }

    @Test func `offline without any copy fails and says so`() async throws {
        let scene = try Scene()

        let outcome = try await scene.fetch(.offline)

        #expect(outcome.failure?.kind == .offline)
        let words = "offline, and no copy of `friends,user=42`: memory: miss; disk: miss; network: skipped (policy offline)"
        #expect(outcome.failure?.description == words)
        #expect(scene.network.readCount == 0)
    }

    @Test func `offline without any copy fails also where a cache fails`() async throws {
        let scene = try Scene()
        scene.disk.fail(.reads)

        #expect(try await scene.fetch(.offline).failure?.kind == .offline)
    }

    @Test func `offline serves a copy that a wrong clock dates in the future`() async throws {
        let scene = try Scene()
        let now = scene.time.clock.now
        scene.disk.hold(Entry(Array("[1]".utf8), created: now + .seconds(1_000), stored: now + .seconds(1_000)), for: scene.key)

        let outcome = try await scene.fetch(.offline)

        #expect(outcome.text == "[1]")
        #expect(outcome.staleReason == "created in the future, policy offline")
    }

    @Test func `offline answers with a remembered not found, and serves none that expired`() async throws {
        let scene = try Scene("not_found_ttl: 10s\ntiers: [memory, network]")
        scene.network.answers(.notFound)
        try await scene.fetch()

        #expect(try await scene.fetch(.offline).isNotFound)
        scene.time.advance(by: .seconds(10))
        #expect(try await scene.fetch(.offline).failure?.kind == .offline)
    }

    @Test func `NC-32 an origin that cannot be reached makes a served copy say offline`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(61))
        var refused = SourceError("connection refused by api.example.org:443")
        refused.isUnreached = true
        scene.network.answers(.error(refused))

        let outcome = try await scene.fetch()

        #expect(outcome.staleReason == "offline, `network` cannot be reached, expired 1m ago, within stale_if_error")
        #expect(outcome.attempts.map(\.reason).last == "connection refused by api.example.org:443")
    }
}
