import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

@Suite struct ShutdownTests {
    @Test func `SH-05 after the shutdown every operation says so`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        let reordered = try scene.pipelines.pipeline(named: "friends", asking: ["network", "disk"])

        await scene.pipelines.shutDown()

        for policy in FetchPolicy.allCases {
            await #expect(throws: ShutDownError.self) { try await scene.friends.fetch(scene.key, policy: policy) }
        }
        await #expect(throws: ShutDownError.self) { try await reordered.fetch(scene.key) }
        await #expect(throws: ShutDownError.self) { try await scene.friends.put(Array("[1]".utf8), for: scene.key) }
        await #expect(throws: ShutDownError.self) { try await scene.friends.remove(scene.key) }
        await #expect(throws: ShutDownError.self) { try await scene.friends.clear() }
        await #expect(throws: ShutDownError.self) { try await scene.friends.flush(scene.key) }
        #expect(await scene.pipelines.shutDown().isEmpty)
        #expect(scene.diskText == "[\"v1\"]")
        #expect(scene.network.count(of: .reads) == 1)
    }

    @Test func `SH-05 a pipeline that is made after the shutdown is shut down, too`() async throws {
        let scene = try Scene()
        await scene.pipelines.shutDown()

        let late = try scene.pipelines.pipeline(named: "friends", asking: ["network"])

        await #expect(throws: ShutDownError.self) { try await late.fetch(scene.key) }
        #expect(scene.network.count(of: .reads) == 0)
    }

    @Test(arguments: [nil, Duration.seconds(60)])
    func `SH-06 who waits for a load is told at once, and what it finds later is not written`(timeout: Duration?) async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"late\"]").after(gate).ignoringCancellation())
        let fetches = (0..<3).map { _ in Task { try await scene.friends.fetch(scene.key, timeout: timeout) } }
        try await scene.waiters(3)
        await scene.network.reads(atLeast: 1)

        await scene.pipelines.shutDown()

        for fetch in fetches {
            await #expect(throws: ShutDownError.self) { try await fetch.value }
        }
        gate.open()
        #expect(scene.friends.flights.allSatisfy { $0.count == 0 })
        #expect(scene.memoryText == nil)
        #expect(scene.diskText == nil)
    }

    @Test func `SH-06 a refresh in the background ends with the pipelines, and writes nothing`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 10s }, network]\nstale_while_revalidate: 60s")
        try await scene.fetch()
        scene.time.advance(by: .seconds(11))
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"late\"]").after(gate))
        #expect(try await scene.fetch().isStale)
        await scene.network.reads(atLeast: 2)

        await scene.pipelines.shutDown()
        await scene.friends.finishRefreshes()
        gate.open()

        #expect(scene.memoryText == "[\"v1\"]")
    }

    @Test func `SH-01 what waits to be written is written, what comes later is not`() async throws {
        let scene = try Scene("tiers: [{ source: disk, ttl: 1h, debounce: 2s }, network]")
        try await scene.fetch()
        #expect(scene.diskText == nil)

        let unwritten = await scene.pipelines.shutDown()

        #expect(unwritten.isEmpty)
        #expect(scene.diskText == "[\"v1\"]")
    }

    @Test func `SH-01 what could not be written within the limit is named`() async throws {
        let scene = try Scene("tiers: [{ source: disk, ttl: 1h, debounce: 2s }, network]")
        let gate = Gate()
        scene.disk.delay(.writes, until: gate, ignoringCancellation: true)
        try await scene.fetch()

        async let unwritten = scene.pipelines.shutDown(within: .seconds(5))
        await scene.time.sleepers(atLeast: 2)
        scene.time.advance(by: .seconds(5))

        #expect(await unwritten.map(\.source) == ["disk"])
        #expect(await unwritten.flatMap(\.keys) == [scene.key])
        gate.open()
    }

    @Test func `a pipeline that is gone leaves nothing behind`() async throws {
        let scene = try Scene()
        for _ in 0..<100 { _ = try scene.pipelines.pipeline(named: "friends", asking: ["network"]) }

        await scene.pipelines.shutDown()

        await #expect(throws: ShutDownError.self) { try await scene.friends.fetch(scene.key) }
    }
}
