import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

/// Values that are loaded before a fetch asks for them.
@Suite struct PrefetchTests {
    private func keys(_ users: ClosedRange<Int>, of scene: Scene) throws -> [Key] {
        try users.map { try scene.friends.key(["user": "\($0)"]) }
    }

    @Test func `PR-02 a prefetch of a cached key asks no origin, and others are there for the next fetch`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1m }, network]")
        let keys = try keys(1...3, of: scene)
        _ = try await scene.friends.fetch(keys[1])
        scene.network.forgetCalls()

        let failed = try await scene.friends.prefetch(keys)

        #expect(failed.isEmpty)
        #expect(scene.network.readCount == 2)
        for key in keys { #expect(try await scene.friends.fetch(key).trace == "memory: hit") }
    }

    @Test func `PR-02 a prefetch that is stopped begins nothing more`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1m }, network]")
        scene.network.answers(.hanging)
        let keys = try keys(1...9, of: scene)
        let prefetch = Task { try await scene.friends.prefetch(keys, concurrency: 2) }
        await scene.network.reads(atLeast: 2)

        prefetch.cancel()

        await #expect(throws: CancellationError.self) { try await prefetch.value }
        #expect(scene.network.readCount == 2)
    }

    @Test func `PR-02 a load that a fetch waits for, too, goes on when the prefetch is stopped`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1m }, network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        let prefetch = Task { try await scene.friends.prefetch([scene.key]) }
        await scene.network.reads(atLeast: 1)
        async let fetched = scene.friends.fetch(scene.key)
        try await scene.waiters(2)

        prefetch.cancel()
        await #expect(throws: CancellationError.self) { try await prefetch.value }
        gate.open()

        #expect(try await fetched.text == "[1]")
        #expect(scene.network.readCount == 1)
    }

    @Test func `no more are asked for at a time than is said, each in the background`() async throws {
        let origin = WatchedOrigin()
        let pipeline = try DataPipeline(
            PipelineSpec(
                "friends", parameters: ["user"],
                tiers: [TierSpec(SourceSpec("memory", MemorySource()), ttl: .seconds(10)), TierSpec(SourceSpec("api", origin))]),
            clock: ManualClock().clock)
        let keys = try (1...5).map { try pipeline.key(["user": "\($0)"]) }
        async let failed = pipeline.prefetch(keys, concurrency: 3)
        try await yieldUntil { origin.contexts.count >= 3 }
        for _ in 0..<100 { await Task.yield() }

        #expect(origin.contexts.map(\.priority) == [.background, .background, .background])
        origin.gate.open()
        #expect(try await failed.isEmpty)
        #expect(origin.contexts.count == 5)
    }

    @Test func `the keys whose load failed are named, and a value that does not exist is none of them`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1m }, network]")
        scene.network.answers(.error(), .notFound, "[3]")
        let keys = try keys(1...3, of: scene)

        #expect(try await scene.friends.prefetch(keys, concurrency: 0) == [keys[0]])
    }

    @Test func `after a shutdown it throws`() async throws {
        let scene = try Scene()
        await scene.pipelines.shutDown()

        await #expect(throws: ShutDownError.self) { try await scene.friends.prefetch([scene.key]) }
    }
}
