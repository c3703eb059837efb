import Pipeline
import PipelineTesting
import Testing

@Suite struct WriteBackTests {
    @Test func `WB-01 a hit on disk is written to memory once, and not to the disk again`() async throws {
        let scene = try Scene()
        scene.disk.hold("[1]", for: scene.key)

        let outcome = try await scene.fetch()

        #expect(outcome.writeTrace == "memory: written")
        #expect(scene.memoryText == "[1]")
        #expect(scene.disk.writeCount == 0)
    }

    @Test func `WB-02 an origin's answer goes to every cache`() async throws {
        let scene = try Scene()

        let outcome = try await scene.fetch()

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(scene.memoryText == "[\"v1\"]")
        #expect(scene.diskText == "[\"v1\"]")
    }

    @Test func `WB-03 a disk that cannot be written never fails the read`() async throws {
        let scene = try Scene()
        scene.disk.fail(.writes, with: SourceError("no space left"))

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writeTrace == "memory: written, disk: failed")
        #expect(outcome.writes[1].reason == "no space left")
        #expect(scene.memoryText == "[\"v1\"]")
        #expect(scene.diskText == nil)
    }

    @Test func `WB-04 a first cache that cannot be written never fails the read`() async throws {
        let scene = try Scene("tiers: [disk, network]")
        scene.disk.fail(.writes)

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writeTrace == "disk: failed")
    }

    @Test func `WB-05 the fetch returns before a slow disk is written, and the disk shows the old value until then`() async throws {
        let scene = try Scene("tiers: [{ source: memory, read: false }, { source: disk, ttl: 10s }, network]")
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")
        let gate = Gate()
        scene.disk.delay(.writes, until: gate)

        let outcome = try await scene.friends.fetch(scene.key, policy: .refresh)
        await scene.disk.writes(atLeast: 2)

        #expect(outcome.text == "[\"v2\"]")
        #expect(outcome.writeTrace == "memory: written, disk: scheduled")
        #expect(try await scene.friends.fetch(scene.key).text == "[\"v1\"]")

        gate.open()
        try await outcome.settleWrites()

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(try await scene.friends.fetch(scene.key).text == "[\"v2\"]")
    }

    @Test func `WB-08 a value that the disk holds, fresh, is not written again`() async throws {
        let scene = try Scene("tiers: [network, { source: disk, ttl: 10s }]")
        try await scene.fetch()

        let second = try await scene.fetch()
        scene.time.advance(by: .seconds(10))
        let third = try await scene.fetch()

        #expect(second.writeTrace == "disk: unchanged")
        #expect(third.writeTrace == "disk: written")
        #expect(scene.disk.writeCount == 2)
    }

    @Test func `WB-09 no-store leaves the caches as they are`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.noStore)

        #expect(outcome.text == "[\"v2\"]")
        #expect(outcome.writes.isEmpty)
        #expect(try await scene.fetch().text == "[\"v1\"]")
    }

    @Test func `WB-10 write_back none gives the value and writes nothing`() async throws {
        let scene = try Scene("write_back: none\ntiers: [memory, disk, network]")

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writes.isEmpty)
        #expect(scene.disk.writeCount == 0)
    }

    @Test func `WB-11 a refresh writes every cache that holds older data`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(scene.memoryText == "[\"v2\"]")
        #expect(scene.diskText == "[\"v2\"]")
    }

    @Test func `routes decide alone where an answer goes`() async throws {
        let scene = try Scene("write_back: { network: [disk] }\ntiers: [memory, disk, network]")

        let first = try await scene.fetch()
        let second = try await scene.fetch()

        #expect(first.writeTrace == "disk: written")
        #expect(second.trace == "memory: miss, disk: hit")
        #expect(second.writes.isEmpty)
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
        for outcome in outcomes { try await outcome.settleWrites() }

        #expect(scene.diskText == "[3]")
        #expect(outcomes[0].writeTrace == "disk: written")
        #expect(outcomes[1].writes[0].reason == "a newer value took its place")
        #expect(outcomes[2].writeTrace == "disk: written")
        #expect(scene.disk.peakCount(of: .writes) == 1)
    }
}
