import Pipeline
import PipelineTesting
import Testing

@Suite struct WriteBackTests {
    @Test(arguments: TierCase.writingBack)
    func `WB-01, WB-02, WB-03, WB-04, WB-05, WB-08, WB-09, WB-10, WB-11 writing back, over a scripted cache`(
        tierCase: TierCase
    ) async throws {
        try await tierCase.play { time, _ in StubMiddle(time) }
    }

    @Test func `routes decide alone where an answer goes`() async throws {
        let scene = try Scene("write_back: { network: [disk] }\ntiers: [memory, disk, network]")

        let first = try await scene.fetch()
        let second = try await scene.fetch()

        #expect(first.writeTrace == "disk: written")
        #expect(second.trace == "memory: miss, disk: hit")
        #expect(second.writes.isEmpty)
    }

    @Test func `a value that a cache is not to keep is skipped, with the reason, and is no failure of the cache`() async throws {
        let scene = try Scene("tiers: [memory, { source: disk, circuit_breaker: { failures: 1, open_for: 1m } }, network]")
        scene.disk.fail(.writes, with: SourceError("larger than max_bytes (1KB)", kind: .notKept))

        let first = try await scene.fetch(.refresh)
        let second = try await scene.fetch(.refresh)

        for outcome in [first, second] {
            #expect(outcome.writes.last.map { "\($0)" } == "disk: skipped (larger than max_bytes (1KB))")
        }
    }

    @Test func `what a cache is not to keep is not tried again, however long it was put off`() async throws {
        let scene = try Scene("tiers: [{ source: disk, ttl: 1h, debounce: 1s }, network]")
        scene.disk.fail(.writes, with: SourceError("no room", kind: .notKept))

        let outcome = try await scene.fetch()
        await scene.pipelines.flush()
        let unwritten = await scene.pipelines.flush(within: .zero)

        #expect(outcome.writeTrace == "disk: skipped")
        #expect(unwritten.isEmpty && scene.disk.writeCount == 1)
    }

    @Test func `a tier with write false is not written`() async throws {
        let scene = try Scene("tiers: [memory, { source: disk, write: false }, network]")

        let outcome = try await scene.fetch()

        #expect(outcome.writeTrace == "memory: written")
        #expect(scene.disk.writeCount == 0)
    }

    @Test func `writes of one key reach a slow disk in order`() async throws {
        let scene = try Scene("tiers: [disk, network]")
        let gate = Gate()
        scene.disk.delay(.writes, until: gate)
        var outcomes: [Outcome] = []
        for number in 1...3 {
            scene.network.answers(.value("[\(number)]"))
            outcomes.append(try await scene.friends.fetch(scene.key, policy: .refresh))
        }
        gate.open()
        for outcome in outcomes { try await outcome.waitForWrites() }

        #expect(scene.diskText == "[3]")
        #expect(outcomes[0].writeTrace == "disk: written")
        #expect(outcomes[1].writes[0].reason == "a newer value took its place")
        #expect(outcomes[2].writeTrace == "disk: written")
        #expect(scene.disk.peakCount(of: .writes) == 1)
    }
}
