import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

@Suite struct InvalidationTests {
    @Test(arguments: TierCase.removing)
    func `IN-01, IN-02, IN-04, IN-06, IN-07, IN-09, IN-10, IN-13, IN-14, IN-15 removing, over a scripted cache`(
        tierCase: TierCase
    ) async throws {
        try await tierCase.play { time, _ in StubMiddle(time) }
    }

    @Test func `remove forgets in every cache, slow ones before fast ones`() async throws {
        let scene = try Scene()
        try await scene.fetch()

        let report = try await scene.friends.remove(scene.key)

        #expect(report.lines.map(\.source) == ["disk", "memory"])
        #expect(report.isComplete)
        #expect(scene.memoryText == nil)
        #expect(scene.diskText == nil)
    }

    @Test func `clear forgets every key of the pipeline`() async throws {
        let scene = try Scene()
        for user in 0..<5 {
            try await scene.friends.fetch(["user": "\(user)"]).waitForWrites()
        }

        let report = try await scene.friends.clear()

        #expect(report.isComplete)
        #expect(scene.memory.count == 0)
        #expect(scene.disk.contents.isEmpty)
    }

    @Test func `IN-09 a reader between two deletions cannot promote the old copy again`() async throws {
        let scene = try Scene()
        scene.disk.hold("[\"old\"]", for: scene.key)
        let gate = Gate()
        scene.disk.delay(.reads, until: gate)
        async let reading = scene.friends.fetch(scene.key)
        await scene.disk.reads(atLeast: 1)

        _ = try await scene.friends.remove(scene.key)
        gate.open()
        let old = try await reading

        #expect(old.text == "[\"v1\"]" || old.text == "[\"old\"]")
        #expect(scene.memoryText == nil)
    }

    @Test func `a removal that fails is named, and the others are made`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.disk.fail(.removes, with: SourceError("permission denied"))

        let report = try await scene.friends.remove(scene.key)

        #expect(!report.isComplete)
        #expect(report.lines[0].failure == "permission denied")
        #expect(scene.memoryText == nil)
    }

    @Test func `a cache that failed to forget is not trusted for the key until it has`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.disk.fail(.removes)
        scene.network.answers("[\"v2\"]")
        _ = try await scene.friends.remove(scene.key)

        let during = try await scene.friends.fetch(scene.key, policy: .cacheOnly)
        scene.disk.recover()
        let after = try await scene.fetch()

        #expect(during.isNotFound || during.failure != nil)
        #expect(during.attempts.first { $0.source == "disk" }?.outcome == .skipped)
        #expect(during.attempts.first { $0.source == "disk" }?.reason?.contains("could not forget") == true)
        #expect(after.text == "[\"v2\"]")
        #expect(scene.diskText == "[\"v2\"]")
    }

    @Test func `no write permits are left when all is done`() async throws {
        let scene = try Scene()

        try await scene.fetch()
        _ = try await scene.friends.remove(scene.key)
        try await scene.fetch()
        await scene.pipelines.flush()

        #expect(scene.friends.generations.count == 0)
    }

    @Test func `IN-09 what is read while a removal is under way is not kept`() async throws {
        let scene = try Scene("write_back: { disk: [memory] }\ntiers: [memory, disk]")
        scene.disk.hold("[\"old\"]", for: scene.key)
        let (reads, removes) = (Gate(), Gate())
        scene.disk.delay(.removes, until: removes)
        async let removal = scene.friends.remove(scene.key)
        await scene.disk.removes(atLeast: 1)
        scene.disk.delay(.reads, until: reads)
        async let reading = scene.friends.fetch(scene.key)
        reads.open()
        _ = try await reading
        removes.open()

        #expect(try await removal.isComplete)
        #expect(scene.memoryText == nil)
        #expect(scene.diskText == nil)
    }

    @Test func `a removal that waits is reported when it is made, also when another is asked for meanwhile`() async throws {
        let scene = try Scene("tiers: [disk, network]")
        let gate = Gate()
        scene.disk.delay(.writes, until: gate)
        _ = try await scene.friends.fetch(scene.key)
        await scene.disk.writes(atLeast: 1)

        async let first = scene.friends.remove(scene.key)
        async let second = scene.friends.remove(scene.key)
        gate.open()

        #expect(try await first.isComplete)
        #expect(scene.diskText == nil)
        #expect(try await second.isComplete)
    }

    /// A value that makes the copies of older ones worthless.
    private func replace(in scene: Scene, isPut: Bool) async throws -> Outcome {
        scene.network.answers("[\"new\"]")
        if isPut { return try await scene.friends.put(Array("[\"new\"]".utf8), for: scene.key) }
        return try await scene.friends.fetch(scene.key, policy: .refresh)
    }

    @Test(arguments: [false, true])
    func `a put or asked-for refresh that cannot be written leaves no older copy to the next process`(isPut: Bool) async throws {
        let scene = try Scene("tiers: [disk, network]")
        scene.disk.hold("[\"old\"]", for: scene.key)
        scene.disk.fail(.writes, with: SourceError("disk full"))

        let outcome = try await replace(in: scene, isPut: isPut)
        try await outcome.waitForWrites()

        #expect(outcome.writes.map(\.description) == ["disk: failed (disk full)"])
        #expect(scene.diskText == nil)
        scene.disk.recover()
        #expect(try await scene.friends.fetch(scene.key, policy: .cacheOnly).isNotFound)
    }

    @Test(arguments: [false, true])
    func `where the older copy cannot be removed, too, the write says that it is still there, and it is not served`(isPut: Bool)
        async throws
    {
        let scene = try Scene("tiers: [disk, network]")
        scene.disk.hold("[\"old\"]", for: scene.key)
        scene.disk.fail(.writes, .removes, with: SourceError("read-only"))

        let outcome = try await replace(in: scene, isPut: isPut)
        try await outcome.waitForWrites()

        #expect(outcome.writes.map(\.description) == ["disk: failed (the old copy is still there: read-only)"])
        #expect(scene.diskText == "[\"old\"]")
        #expect(try await scene.friends.fetch(scene.key).text == "[\"new\"]")
    }

    @Test func `a cache that holds nothing and takes nothing leaves nothing behind`() async throws {
        let scene = try Scene("tiers: [disk, network]")
        scene.disk.fail(.writes, .removes, with: SourceError("read-only"))

        let outcome = try await replace(in: scene, isPut: true)
        try await outcome.waitForWrites()

        #expect(outcome.writes.map(\.description) == ["disk: failed (read-only)"])
    }

    @Test func `a put that is not written in time leaves no older copy`() async throws {
        let scene = try Scene("tiers: [{ source: disk, timeout: 1s }, network]")
        scene.disk.hold("[\"old\"]", for: scene.key)
        scene.disk.delay(.writes, until: Gate())
        let outcome = try await replace(in: scene, isPut: true)
        await scene.disk.writes(atLeast: 1)
        await scene.time.sleepers(atLeast: 1)

        scene.time.advance(by: .seconds(1))
        try await outcome.waitForWrites()

        #expect(outcome.writes.map(\.description) == ["disk: failed (not written within 1s)"])
        #expect(scene.diskText == nil)
    }

    @Test func `a put removes the older copy although the circuit is open`() async throws {
        let scene = try Scene("tiers: [{ source: disk, circuit_breaker: { failures: 1, open_for: 1h } }, network]")
        scene.disk.fail(.writes, with: SourceError("disk full"))
        try await scene.fetch()
        scene.disk.recover()
        scene.disk.hold("[\"old\"]", for: scene.key)

        let outcome = try await replace(in: scene, isPut: true)
        try await outcome.waitForWrites()

        #expect(outcome.writes.map(\.outcome) == [.skipped])
        await scene.pipelines.flush()
        #expect(scene.diskText == nil)
    }

    @Test func `an answer that nobody asked to replace an older one leaves the expired copy for an outage`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: disk, ttl: 10s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(11))
        scene.network.answers("[\"v2\"]")
        scene.disk.fail(.writes, with: SourceError("disk full"))

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v2\"]")
        #expect(scene.diskText == "[\"v1\"]")
    }
}
