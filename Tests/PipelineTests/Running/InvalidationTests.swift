import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

@Suite struct InvalidationTests {
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
            try await scene.friends.fetch(["user": "\(user)"]).settleWrites()
        }

        let report = try await scene.friends.clear()

        #expect(report.isComplete)
        #expect(scene.memory.count == 0)
        #expect(scene.disk.contents.isEmpty)
    }

    @Test(arguments: [true, false])
    func `IN-01, IN-02, IN-06 a load that began before a removal writes nothing`(isClear: Bool) async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        async let loading = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)

        let report = isClear ? try await scene.friends.clear() : try await scene.friends.remove(scene.key)
        gate.open()
        let old = try await loading
        try await old.settleWrites()

        #expect(report.isComplete)
        #expect(old.text == "[\"old\"]")
        #expect(old.writes.map(\.outcome) == [.skipped, .skipped])
        #expect(old.writes[0].reason == "removed while it was loaded")
        #expect(scene.memoryText == nil)
        #expect(scene.diskText == nil)
        #expect(try await scene.fetch().text == "[\"new\"]")
    }

    @Test func `IN-07 a load that ends late does not disturb the newer one`() async throws {
        let scene = try Scene("tiers: [memory, network]")
        let (first, second) = (Gate(), Gate())
        scene.network.answers(StubAnswer.value("[\"old\"]").after(first), StubAnswer.value("[\"new\"]").after(second), "[\"third\"]")
        async let old = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)
        _ = try await scene.friends.remove(scene.key)
        async let new = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 2)

        first.open()
        #expect(try await old.text == "[\"old\"]")
        async let joined = scene.friends.fetch(scene.key)
        await scene.waiters(2)
        second.open()

        #expect(try await new.text == "[\"new\"]")
        #expect(try await joined.text == "[\"new\"]")
        #expect(scene.network.readCount == 2)
        #expect(scene.memoryText == "[\"new\"]")
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

    @Test func `IN-09 a write that is under way is followed by the removal`() async throws {
        let scene = try Scene("tiers: [disk, network]")
        let gate = Gate()
        scene.disk.delay(.writes, until: gate)
        let outcome = try await scene.friends.fetch(scene.key)
        await scene.disk.writes(atLeast: 1)

        async let removal = scene.friends.remove(scene.key)
        gate.open()

        #expect(try await removal.isComplete)
        try await outcome.settleWrites()
        #expect(scene.diskText == nil)
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

    @Test func `no tickets are left when all is done`() async throws {
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

    @Test func `IN-04 a value that is put during a load stays, and what was loaded is dropped and reported`() async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(gate))
        async let loading = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)

        let log = try await scene.friends.put(Array("[\"put\"]".utf8), for: scene.key)
        try await log.settle()
        gate.open()
        let old = try await loading
        try await old.settleWrites()

        #expect(old.text == "[\"old\"]")
        #expect(old.writeTrace == "memory: skipped, disk: skipped")
        #expect(old.writes.allSatisfy { $0.reason == "removed while it was loaded" })
        #expect(scene.memoryText == "[\"put\"]")
        #expect(scene.diskText == "[\"put\"]")
        #expect(try await scene.fetch().trace == "memory: hit")
    }

    @Test func `IN-13 removing twice in one tick makes one load`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.network.forgetCalls()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"new\"]").after(gate))

        async let first = scene.friends.remove(scene.key)
        async let second = scene.friends.remove(scene.key)
        let areComplete = try await (first.isComplete, second.isComplete)
        let texts = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<10 { group.addTask { try await scene.friends.fetch(scene.key) } }
            await scene.waiters(10)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1.text) }
        }

        #expect(areComplete == (true, true))
        #expect(texts == Array(repeating: "[\"new\"]", count: 10))
        #expect(scene.network.readCount == 1)
    }

    @Test func `IN-14 a removal asks nobody; the next fetch does, and one that is cancelled leaves nothing`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.network.forgetCalls()
        scene.network.answers(.hanging, "[\"new\"]")

        _ = try await scene.friends.remove(scene.key)
        let readsAfterRemoval = scene.network.readCount
        let cancelled = Task { try await scene.friends.fetch(scene.key) }
        await scene.network.reads(atLeast: 1)
        cancelled.cancel()

        #expect(readsAfterRemoval == 0)
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(scene.memoryText == nil && scene.diskText == nil)
        #expect(try await scene.fetch().text == "[\"new\"]")
        #expect(scene.network.readCount == 2)
    }

    @Test func `IN-15 a clear while many keys load: each waiter gets its answer, and none of them lands`() async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(gate))
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for user in 0..<20 { group.addTask { try await scene.friends.fetch(["user": "\(user)"]) } }
            await scene.network.reads(atLeast: 20)
            #expect(try await scene.friends.clear().isComplete)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes { try await outcome.settleWrites() }

        #expect(outcomes.allSatisfy { $0.text == "[\"old\"]" && $0.writeTrace == "memory: skipped, disk: skipped" })
        #expect(scene.memory.count == 0 && scene.disk.contents.isEmpty)
        #expect(scene.friends.flights.allSatisfy { $0.count == 0 })
    }
}
