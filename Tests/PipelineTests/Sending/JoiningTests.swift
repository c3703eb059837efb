import PipelineComposing
import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite struct JoiningTests {
    @Test func `NC-01 pull, pull, pull is one request, and two traces say that they joined it`() async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        async let first = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)
        scene.time.advance(by: .milliseconds(1_200))
        async let second = scene.friends.fetch(scene.key)
        try await scene.waiters(2)
        scene.time.advance(by: .seconds(2))
        async let third = scene.friends.fetch(scene.key)
        try await scene.waiters(3)
        gate.open()

        let reasons = try await [first, second, third].map { $0.attempts.map(\.reason) }
        #expect(reasons == [[nil, nil, nil], [nil, nil, "joined a load of 1.2s ago"], [nil, nil, "joined a load of 3.2s ago"]])
        #expect(scene.network.readCount == 1)
    }

    @Test func `a fetch that joins a refresh in the background says since when that runs`() async throws {
        let scene = try Scene("stale_while_revalidate: 5s\ntiers: [{ source: memory, ttl: 10s }, network]")
        try await scene.fetch()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[2]").after(gate))
        scene.time.advance(by: .seconds(12))
        #expect(try await scene.fetch().isStale)
        await scene.network.reads(atLeast: 2)

        scene.time.advance(by: .seconds(4))
        async let joined = scene.friends.fetch(scene.key)
        try await yieldUntil { scene.friends.flights[1].waiterCount(of: scene.key) == 2 }
        gate.open()

        #expect(try await joined.attempts.last?.reason == "joined a load of 4s ago")
        #expect(scene.network.readCount == 2)
    }

    @Test func `a fetch that joins a load of a feed says since when that runs`() async throws {
        let scene = try Scene("tiers: [network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        async let reload: Void = scene.friends.loadAnew(scene.key, confirming: nil)
        await scene.network.reads(atLeast: 1)

        scene.time.advance(by: .milliseconds(1_200))
        async let joined = scene.friends.fetch(scene.key, policy: .refresh)
        try await scene.waiters(2)
        gate.open()

        #expect(try await joined.attempts.last?.reason == "joined a load of 1.2s ago")
        await reload
        #expect(scene.network.readCount == 1)
    }

    @Test func `a fetch that joined the failed call of a refresh is served stale, and begins no other refresh`() async throws {
        let scene = try Scene("stale_while_revalidate: 1m\ntiers: [network, { source: memory, ttl: 10s }]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(12))
        let gate = Gate()
        scene.network.answers(.error(), StubAnswer.error().after(gate))
        #expect(try await scene.fetch().isStale)
        await scene.network.reads(atLeast: 3)

        async let joined = scene.friends.fetch(scene.key)
        try await yieldUntil { scene.friends.flights[1].waiterCount(of: scene.key) == 2 }
        gate.open()

        #expect(try await joined.isStale)
        try await yieldUntil { !scene.friends.background.hasWork }
        #expect(scene.network.readCount == 3)
    }

    @Test func `a load that has just begun is joined as such`() async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        async let first = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)
        async let second = scene.friends.fetch(scene.key)
        try await scene.waiters(2)
        gate.open()

        #expect(try await [first, second].map { $0.attempts.last?.reason } == [nil, "joined a load that had just begun"])
    }
}

@Suite struct ProgressTests {
    private let time = ManualClock()
    private let origin = WatchedOrigin()
    private let key = Key(pipeline: "friends")

    private func pipeline() throws -> DataPipeline {
        try DataPipeline(PipelineSpec("friends", tiers: [TierSpec(SourceSpec("api", origin))]), clock: time.clock)
    }

    @Test func `a fetch that follows links hears how much of its value has come`() async throws {
        let friends = try pipeline()
        let heard = Mutex<[LoadProgress]>([])

        async let fetched = friends.fetch(key, following: [], progress: { progress in heard.withLock { $0.append(progress) } })
        await origin.gate.waiters(atLeast: 1)
        let report = try #require(origin.contexts.last?.report)
        report(100, 200)
        origin.gate.open()

        _ = try await fetched
        #expect(heard.withLock { $0 } == [LoadProgress(source: "api", received: 100, total: 200)])
    }

    @Test func `each waiter hears how much has come, at most ten times a second`() async throws {
        let friends = try pipeline()
        let first = Mutex<[LoadProgress]>([])
        let second = Mutex<[LoadProgress]>([])

        async let one = friends.fetch(key, progress: { progress in first.withLock { $0.append(progress) } })
        await origin.gate.waiters(atLeast: 1)
        let report = try #require(origin.contexts.last?.report)
        for part in 1...10 {
            report(part * 100, 2_000)
            time.advance(by: .milliseconds(25))
        }
        async let two = friends.fetch(key, progress: { progress in second.withLock { $0.append(progress) } })
        async let silent = friends.fetch(key)
        try await yieldUntil { friends.flights[0].waiterCount(of: key) == 3 }
        time.advance(by: .milliseconds(100))
        report(2_000, 2_000)
        origin.gate.open()

        _ = try await (one, two, silent)
        report(3_000, nil)
        #expect(first.withLock { $0.map(\.received) } == [100, 500, 900, 2_000])
        #expect(second.withLock { $0 } == [LoadProgress(source: "api", received: 2_000, total: 2_000)])
    }

    @Test func `a waiter that has left hears nothing more`() async throws {
        let friends = try pipeline()
        let heard = Mutex<[LoadProgress]>([])
        async let stays = friends.fetch(key)
        let leaves = Task { try await friends.fetch(key, progress: { progress in heard.withLock { $0.append(progress) } }) }
        try await yieldUntil { friends.flights[0].waiterCount(of: key) == 2 }
        await origin.gate.waiters(atLeast: 1)

        leaves.cancel()
        try await yieldUntil { friends.flights[0].waiterCount(of: key) == 1 }
        origin.contexts.last?.report?(1, nil)
        origin.gate.open()

        _ = try await stays
        #expect(heard.withLock { $0.isEmpty })
    }
}
