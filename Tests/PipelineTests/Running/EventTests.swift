import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

@Suite struct EventTests {
    @Test func `a fetch tells its attempts, its writes and its end, in the words of the trace`() async throws {
        let events = EventRecorder()
        let scene = try Scene(observers: [events.observer])

        try await scene.fetch()

        #expect(
            events.lines.filter { !$0.contains("disk: written") } == [
                "friends,user=42 memory: miss", "friends,user=42 disk: miss", "friends,user=42 network: hit",
                "friends,user=42 write memory: written", "friends,user=42 fetched value from network",
            ])
        #expect(events.lines.contains("friends,user=42 write disk: written"))
    }

    @Test func `a hit at hand is told like any other`() async throws {
        let events = EventRecorder()
        let scene = try Scene(observers: [events.observer])
        try await scene.fetch()
        events.reset()

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: hit")
        #expect(events.lines == ["friends,user=42 memory: hit", "friends,user=42 fetched value from memory"])
    }

    @Test func `TI-03 a tier that fails is told once, with its reason`() async throws {
        let events = EventRecorder()
        let scene = try Scene(observers: [events.observer])
        scene.disk.fail(.reads, with: Broken(name: "torn"))

        try await scene.fetch()

        #expect(events.lines.filter { $0.contains("error") }.count == 1)
        #expect(events.lines.contains { $0.hasPrefix("friends,user=42 disk: error (") && $0.contains("torn") })
    }

    @Test func `WB-03 a write that fails is told once`() async throws {
        let events = EventRecorder()
        let scene = try Scene(observers: [events.observer])
        scene.disk.fail(.writes, with: Broken(name: "full"))

        try await scene.fetch()

        #expect(events.lines.filter { $0.contains("write disk: failed (") && $0.contains("full") }.count == 1)
    }

    @Test func `fetches that share a load make its attempts once, and end each on their own`() async throws {
        let events = EventRecorder()
        let scene = try Scene("tiers: [memory, network]", observers: [events.observer])
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await scene.fetch() } }
            try await scene.waiters(10)
            gate.open()
            try await group.waitForAll()
        }

        #expect(events.lines.filter { $0.hasSuffix("network: hit") }.count == 1)
        #expect(events.lines.filter { $0.hasSuffix("memory: miss") }.count == 1)
        #expect(events.lines.filter { $0.hasSuffix("fetched value from network") }.count == 10)
    }

    @Test func `SW-04 a refresh that fails is told as such`() async throws {
        let events = EventRecorder()
        let scene = try Scene(
            "tiers: [{ source: memory, ttl: 10s }, network]\nstale_while_revalidate: 60s", observers: [events.observer])
        try await scene.fetch()
        scene.time.advance(by: .seconds(11))
        scene.network.answers(.error(Broken()))
        events.reset()

        let outcome = try await scene.fetch()
        await scene.friends.finishRefreshes()

        #expect(outcome.isStale)
        #expect(events.lines.contains { $0.hasPrefix("friends,user=42 memory: stale (expired 1s ago") })
        #expect(events.lines.contains("friends,user=42 fetched stale from memory"))
        #expect(events.lines.contains { $0.hasPrefix("friends,user=42 network: error") })
        #expect(events.lines.contains { $0.hasPrefix("friends,user=42 refreshed failed") })
    }

    @Test func `a failed fetch, a missing value and a removal are told`() async throws {
        let events = EventRecorder()
        let scene = try Scene("tiers: [memory, network]", observers: [events.observer])

        scene.network.answers(.error(Broken()))
        try await scene.fetch()
        scene.network.answers(.notFound)
        try await scene.fetch()
        _ = try await scene.friends.remove(scene.key)
        _ = try await scene.friends.clear()

        #expect(events.lines.contains { $0.hasPrefix("friends,user=42 fetched failed") })
        #expect(events.lines.contains("friends,user=42 fetched not_found from network"))
        #expect(events.lines.contains("friends,user=42 removed from memory"))
        #expect(events.lines.last == "friends removed from memory")
    }

    @Test func `a debounced write is told when it is written`() async throws {
        let events = EventRecorder()
        let scene = try Scene("tiers: [{ source: disk, ttl: 1h, debounce: 2s }, network]", observers: [events.observer])

        try await scene.fetch()
        #expect(!events.lines.contains { $0.contains("write disk") })
        await scene.pipelines.flush()

        #expect(events.lines.filter { $0.contains("write disk: written") }.count == 1)
    }

    @Test func `an evicted copy is told with its key`() async throws {
        let events = EventRecorder()
        let scene = try Scene(
            "tiers: [small, network]", extra: [.memory], sources: "small: { type: memory, max_entries: 2 }",
            observers: [events.observer])

        for user in 0..<3 { try await scene.friends.fetch(["user": "\(user)"]).waitForWrites() }

        #expect(events.lines.filter { $0.hasSuffix("evicted from small") } == ["friends,user=0 evicted from small"])
    }

    @Test func `every observer is told, in their order, and the pipeline of each event can be asked for`() async throws {
        let (first, second) = (EventRecorder(), EventRecorder())
        let pipelines = EventRecorder()
        let scene = try Scene(
            "tiers: [network]",
            observers: [
                first.observer, second.observer,
                { event in if event.pipeline == "friends" { pipelines.observer(event) } },
            ])

        try await scene.fetch()

        #expect(first.lines == ["friends,user=42 network: hit", "friends,user=42 fetched value from network"])
        #expect(second.lines == first.lines)
        #expect(pipelines.lines == first.lines)
    }
}
