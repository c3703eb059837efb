import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

@Suite struct NegativeCachingTests {
    private static let tiers = "not_found_ttl: 5s\ntiers: [{ source: memory, ttl: 1h }, disk, network]"

    @Test func `NG-01 not_found is remembered for its own time by the caches that can`() async throws {
        let scene = try Scene(Self.tiers)
        scene.network.answers(.notFound)

        let first = try await scene.fetch()
        scene.time.advance(by: .milliseconds(4_999))
        let second = try await scene.fetch()
        scene.time.advance(by: .milliseconds(1))
        let third = try await scene.fetch()

        #expect(first.writeTrace == "memory: written")
        #expect(second.isNotFound)
        #expect(second.trace == "memory: not_found")
        #expect(third.trace == "memory: expired, disk: miss, network: not_found")
        #expect(scene.network.readCount == 2)
        #expect(scene.disk.writeCount == 0)
    }

    @Test func `NG-02 a refresh turns a remembered not_found into a value`() async throws {
        let scene = try Scene(Self.tiers)
        scene.network.answers(.notFound, "[1]")
        try await scene.fetch()

        try await scene.fetch(.refresh)

        #expect(try await scene.fetch().text == "[1]")
    }

    @Test func `NG-03 an error is never remembered`() async throws {
        let scene = try Scene(Self.tiers)
        scene.network.answers(.error(), "[1]")

        let first = try await scene.fetch()

        #expect(first.failure != nil)
        #expect(try await scene.fetch().text == "[1]")
    }

    @Test func `without not_found_ttl nothing is remembered`() async throws {
        let scene = try Scene("tiers: [memory, network]")
        scene.network.answers(.notFound, "[1]")

        let first = try await scene.fetch()

        #expect(first.isNotFound)
        #expect(first.writes.isEmpty)
        #expect(try await scene.fetch().text == "[1]")
    }

    @Test func `TO-02 an expired not_found is nothing to serve at the soft timeout`() async throws {
        let scene = try Scene(
            "not_found_ttl: 1s\nstale_if_error: 1h\ntiers: [memory, { source: network, soft_timeout: 100ms }]")
        scene.network.answers(.notFound, StubAnswer.value("[1]").after(.seconds(1)))
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .seconds(1))

        #expect(try await fetched.text == "[1]")
    }
}
