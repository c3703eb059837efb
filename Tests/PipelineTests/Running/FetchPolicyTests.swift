import Pipeline
import PipelineTesting
import Testing

@Suite struct FetchPolicyTests {
    @Test func `FP-01 cache-only asks no origin, and a miss is not found`() async throws {
        let scene = try Scene()

        let outcome = try await scene.fetch(.cacheOnly)

        #expect(outcome.isNotFound)
        #expect(outcome.trace == "memory: miss, disk: miss, network: skipped")
        #expect(outcome.attempts[2].reason == "policy cache-only")
        #expect(scene.network.readCount == 0)
    }

    @Test func `FP-01 for cache-only an expired copy is a miss, also within a stale window`() async throws {
        let scene = try Scene("stale_while_revalidate: 1h\ntiers: [{ source: memory, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(1))

        let outcome = try await scene.fetch(.cacheOnly)

        #expect(outcome.isNotFound)
        #expect(outcome.trace == "memory: expired, network: skipped")
    }

    @Test func `cache-only promotes what a cache holds`() async throws {
        let scene = try Scene()
        scene.disk.hold("[1]", for: scene.key)

        #expect(try await scene.fetch(.cacheOnly).writeTrace == "memory: written")
    }

    @Test func `FP-02 refresh skips the caches and writes back`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.trace == "memory: skipped, disk: skipped, network: hit")
        #expect(outcome.writeTrace == "memory: written, disk: written")
    }

    @Test func `FP-02 no-store neither reads nor writes caches`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.disk.forgetCalls()

        let outcome = try await scene.fetch(.noStore)

        #expect(outcome.trace == "memory: skipped, disk: skipped, network: hit")
        #expect(outcome.writes.isEmpty)
        #expect(scene.disk.calls.isEmpty)
    }

    @Test func `FP-04 a refresh that fails is an error, also inside a stale window`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(1))
        scene.network.fail(.reads)

        #expect(try await scene.fetch(.refresh).failure != nil)
        #expect(scene.memoryText == "[\"v1\"]")
    }

    @Test func `a refresh that finds nothing removes what the caches hold`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.network.answers(.notFound)

        let outcome = try await scene.fetch(.refresh)
        await scene.pipelines.flush()

        #expect(outcome.isNotFound)
        #expect(scene.memoryText == nil)
        #expect(scene.diskText == nil)
    }

    @Test func `cache-only does not wait for a load of the origin that runs`() async throws {
        let scene = try Scene("tiers: [memory, network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        async let loading = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)

        let outcome = try await scene.friends.fetch(scene.key, policy: .cacheOnly)

        #expect(outcome.isNotFound)
        gate.open()
        #expect(try await loading.text == "[1]")
    }
}
