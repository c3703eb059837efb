import Pipeline
import PipelineTesting
import SourcesMemory
import Testing

@Suite struct FreshnessTests {
    @Test func `TT-01 fresh until just before the ttl, expired at exactly the ttl`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 10s }, network]")
        try await scene.fetch()

        scene.time.advance(by: .milliseconds(9_999))
        let before = try await scene.fetch()
        scene.time.advance(by: .milliseconds(1))
        let after = try await scene.fetch()

        #expect(before.trace == "memory: hit")
        #expect(before.freshFor == .milliseconds(1))
        #expect(after.trace == "memory: expired, network: hit")
    }

    @Test func `TT-02 a ttl of 0 stores nothing, and removes what is there`() async throws {
        let scene = try Scene("tiers: [memory, { source: disk, ttl: 0s }, network]")
        scene.disk.hold("[0]", for: scene.key)

        let outcome = try await scene.fetch(.refresh)
        await scene.pipelines.flush()

        #expect(outcome.writes[1].outcome == .skipped)
        #expect(outcome.writes[1].reason?.contains("ttl 0s") == true)
        #expect(scene.diskText == nil)
    }

    @Test func `TT-09 steps of the wall clock neither revive nor kill a copy`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 10s }, { source: disk, ttl: 20s }, network]")
        try await scene.fetch()

        scene.time.stepWall(by: .seconds(86_400))
        let forward = try await scene.fetch()
        scene.time.stepWall(by: .seconds(-2 * 86_400))
        let back = try await scene.fetch()

        #expect(forward.source == "memory")
        #expect(back.source == "memory")
        #expect(back.age == .zero)
        #expect(scene.network.readCount == 1)
    }

    @Test func `a copy that was created in the future counts as expired`() async throws {
        let scene = try Scene("tiers: [{ source: disk, ttl: 10s }, network]")
        scene.disk.hold(Entry(Array("[0]".utf8), created: scene.time.now + .seconds(1)), for: scene.key)

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "disk: expired, network: hit")
        #expect(outcome.attempts[0].reason == "created in the future")
    }

    @Test func `TT-10 jitter spreads expiries over its range, never later than the ttl`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 100s, jitter: 20% }, network]")
        let now = scene.time.now
        for user in 0..<1_000 { _ = try await scene.friends.fetch(["user": "\(user)"]) }

        let lives = scene.memory.keys.compactMap { scene.memory.peek($0)?.freshUntil?.duration(since: now) }

        #expect(lives.count == 1_000)
        #expect(lives.allSatisfy { .seconds(80) <= $0 && $0 <= .seconds(100) })
        #expect(lives.contains { $0 < .seconds(85) })
        #expect(lives.contains { $0 > .seconds(95) })
    }

    @Test func `AG-01 a copy in memory does not outlive the copy on disk it was made from`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 10s }, { source: disk, ttl: 2s }, network]")
        scene.disk.hold("[0]", for: scene.key, freshFor: .seconds(2))

        scene.time.advance(by: .seconds(1))
        try await scene.fetch()
        scene.time.advance(by: .milliseconds(999))
        let before = try await scene.fetch()
        scene.time.advance(by: .milliseconds(1))
        let after = try await scene.fetch()

        #expect(before.trace == "memory: hit")
        #expect(after.trace == "memory: expired, disk: expired, network: hit")
    }

    @Test func `AG-02, AG-03 memory is refilled from the disk until the disk's copy expires`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 10s }, network]")
        try await scene.fetch()
        var sources: [String] = []

        for _ in 1...10 {
            scene.time.advance(by: .milliseconds(999))
            sources.append(try await scene.fetch().source ?? "")
            scene.time.advance(by: .milliseconds(1))
            sources.append(try await scene.fetch().source ?? "")
        }

        #expect(sources.prefix(19) == ArraySlice((1...19).map { $0 % 2 == 1 ? "memory" : "disk" }))
        #expect(sources.last == "network")
        #expect(scene.network.readCount == 2)
    }

    @Test func `AG-05 created is when the origin's load began, and is carried from copy to copy`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 10s }, network]")
        let began = scene.time.now
        scene.network.answers(StubAnswer.value("[1]").after(.milliseconds(500)))
        async let first = scene.fetch()
        await scene.network.reads(atLeast: 1)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(500))
        _ = try await first

        scene.time.advance(by: .seconds(2))
        let promoted = try await scene.fetch()

        #expect(promoted.source == "disk")
        #expect(promoted.age == .milliseconds(2_500))
        #expect(scene.memory.peek(scene.key)?.created == began)
        #expect(scene.disk[scene.key]?.created == began)
        #expect(scene.disk[scene.key]?.stored == began + .milliseconds(500))
    }

    @Test func `a shorter ttl in the file holds for copies that were stored under a longer one`() async throws {
        let scene = try Scene("tiers: [{ source: disk, ttl: 5s }, network]")
        scene.disk.hold("[0]", for: scene.key, freshFor: .seconds(600))

        scene.time.advance(by: .seconds(5))

        #expect(try await scene.fetch().trace == "disk: expired, network: hit")
    }

    @Test func `without a ttl a copy is fresh as long as its origin says`() async throws {
        let scene = try Scene("tiers: [memory, network]")
        scene.network.answers(.value("[1]", freshFor: .seconds(3)))
        try await scene.fetch()

        scene.time.advance(by: .milliseconds(2_999))
        #expect(try await scene.fetch().source == "memory")
        scene.time.advance(by: .milliseconds(1))
        #expect(try await scene.fetch().source == "network")
    }
}
