import PipelineTesting
import SourcesMemory
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite struct DebounceTests {
    private static let tiers = "tiers: [{ source: disk, debounce: 50ms, max_delay: 500ms }, network]"

    /// Loads `text` into the pipeline's caches.
    private func set(_ text: String, in scene: Scene) async throws -> Outcome {
        scene.network.answers(.value(text))
        return try await scene.friends.fetch(scene.key, policy: .refresh)
    }

    /// Returns when the write to the disk has failed, and everybody knows.
    private func failure(of outcome: Outcome) async throws {
        try await yieldUntil { outcome.writeTrace == "disk: failed" }
    }

    @Test func `DB-01 a hundred values within the quiet time make one write, of the last`() async throws {
        let scene = try Scene(Self.tiers)
        var outcomes: [Outcome] = []
        for number in 1...100 { outcomes.append(try await set("[\(number)]", in: scene)) }
        await scene.time.sleepers(atLeast: 1)

        #expect(outcomes.last?.writeTrace == "disk: scheduled")
        #expect(scene.disk.writeCount == 0)
        scene.time.advance(by: .milliseconds(50))
        await scene.disk.finished(.writes, atLeast: 1)
        await scene.pipelines.flush()

        #expect(scene.diskText == "[100]")
        #expect(scene.disk.writeCount == 1)
        #expect(outcomes.last?.writeTrace == "disk: written")
        #expect(outcomes.first?.writeTrace == "disk: skipped")
    }

    @Test func `DB-02 with a value every 10 ms for ever, one is written at least every max_delay`() async throws {
        let scene = try Scene(Self.tiers)
        for number in 0..<100 {
            _ = try await set("[\(number)]", in: scene)
            await scene.time.sleepers(atLeast: 1)
            scene.time.advance(by: .milliseconds(10))
            if number == 49 { await scene.disk.finished(.writes, atLeast: 1) }
        }
        await scene.disk.finished(.writes, atLeast: 2)

        #expect(scene.disk.writeCount == 2)
    }

    @Test func `DB-03 a read sees the value that waits, and a miss once it is removed`() async throws {
        let scene = try Scene(Self.tiers)
        _ = try await set("[1]", in: scene)
        scene.disk.forgetCalls()

        let pending = try await scene.fetch()
        let reads = scene.disk.readCount
        let report = try await scene.friends.remove(scene.key)
        let removed = try await scene.fetch(.cacheOnly)

        #expect(pending.trace == "disk: hit")
        #expect(pending.text == "[1]")
        #expect(reads == 0)
        #expect(report.isComplete)
        #expect(removed.isNotFound)
        #expect(scene.disk.writeCount == 0)
    }

    @Test func `DB-05 a disk slower than the values gets one write at a time, and the last value`() async throws {
        let scene = try Scene(Self.tiers)
        let gate = Gate()
        scene.disk.delay(.writes, until: gate)
        _ = try await set("[1]", in: scene)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(50))
        await scene.disk.writes(atLeast: 1)
        _ = try await set("[2]", in: scene)
        _ = try await set("[3]", in: scene)

        #expect(try await scene.fetch().text == "[3]")
        gate.open()
        await scene.pipelines.flush()

        #expect(scene.diskText == "[3]")
        #expect(scene.disk.peakCount(of: .writes) == 1)
        #expect(scene.disk.writeCount == 2)
    }

    @Test func `DB-07 a write that fails stays pending, is tried again, and the next value still works`() async throws {
        let scene = try Scene(Self.tiers)
        scene.disk.fail(.writes)
        let outcome = try await set("[1]", in: scene)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(50))
        await scene.disk.finished(.writes, atLeast: 1)
        await scene.time.sleepers(atLeast: 1)

        #expect(outcome.writeTrace == "disk: failed")
        #expect(try await scene.fetch().text == "[1]")
        scene.disk.recover()
        scene.time.advance(by: .milliseconds(100))
        await scene.disk.finished(.writes, atLeast: 2)
        await scene.pipelines.flush()

        #expect(scene.diskText == "[1]")
        #expect(outcome.writeTrace == "disk: written")
    }

    @Test func `DB-07 a write that failed stays failed when a newer value takes its place`() async throws {
        let scene = try Scene(Self.tiers)
        scene.disk.fail(.writes)
        let outcome = try await set("[1]", in: scene)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(50))
        try await failure(of: outcome)

        scene.disk.recover()
        let newer = try await set("[2]", in: scene)
        await scene.pipelines.flush()

        #expect(outcome.writeTrace == "disk: failed")
        #expect(newer.writeTrace == "disk: written")
        #expect(scene.diskText == "[2]")
    }

    @Test func `CB-03 a write that failed and is dropped lets no second probe through`() async throws {
        let scene = try Scene("tiers: [{ source: disk, debounce: 5s, circuit_breaker: { failures: 1, open_for: 1s } }, network]")
        scene.disk.fail(.writes)
        let outcome = try await set("[1]", in: scene)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .seconds(5))
        try await failure(of: outcome)
        let gate = Gate()
        scene.disk.delay(.reads, until: gate)
        scene.disk.forgetCalls()
        scene.time.advance(by: .seconds(1))
        let probe = Task { try await scene.friends.fetch(["user": "probe"]) }
        await scene.disk.reads(atLeast: 1)
        scene.disk.stopDelaying(.reads)

        _ = try await scene.friends.remove(scene.key)
        let other = try await scene.friends.fetch(["user": "other"])

        #expect(other.trace == "disk: skipped, network: hit")
        gate.open()
        _ = try await probe.value
    }

    @Test func `DB-08 flush writes what waits; with nothing waiting it does nothing`() async throws {
        let scene = try Scene(Self.tiers)
        _ = try await set("[1]", in: scene)

        let unwritten = await scene.pipelines.flush()
        let writes = scene.disk.writeCount
        await scene.pipelines.flush()

        #expect(unwritten.isEmpty)
        #expect(scene.diskText == "[1]")
        #expect(writes == 1)
        #expect(scene.disk.writeCount == 1)
    }

    @Test func `DB-08 flush names what could not be written, and does not wait for it for ever`() async throws {
        let scene = try Scene(Self.tiers)
        scene.disk.fail(.writes)
        _ = try await set("[1]", in: scene)

        let unwritten = await scene.pipelines.flush()

        #expect(unwritten.map(\.source) == ["disk"])
        #expect(unwritten.first?.keys == [scene.key])
    }

    @Test func `SH-01 a disk that hangs holds up the shutdown no longer than its bound, and its keys are named`() async throws {
        let scene = try Scene(Self.tiers)
        scene.disk.delay(.writes, until: Gate(), ignoringCancellation: true)
        _ = try await set("[1]", in: scene)

        async let unwritten = scene.pipelines.shutDown(within: .seconds(5))
        await scene.disk.writes(atLeast: 1)
        await scene.time.sleepers(atLeast: 1)
        while scene.time.sleeperCount > 0 {
            scene.time.advance(by: .seconds(5))
            await Task.yield()
        }

        #expect(await unwritten.first?.keys == [scene.key])
    }

    @Test func `DB-11 set, remove and set of one key end with the last`() async throws {
        let scene = try Scene(Self.tiers)
        _ = try await set("[1]", in: scene)
        _ = try await scene.friends.remove(scene.key)
        _ = try await set("[2]", in: scene)

        await scene.pipelines.flush()

        #expect(scene.diskText == "[2]")
        #expect(scene.disk.writeCount == 1)
    }

    @Test func `DB-13 over the byte bound the value that waits longest is written at once`() async throws {
        let time = ManualClock()
        let disk = StubSource("disk", clock: time.clock)
        let queue = WriteQueue(disk, clock: time.clock, bound: Size(bytes: 800))
        func schedule(_ name: String) {
            let entry = Entry(Array("123456".utf8), created: time.now)
            queue.schedule(
                WriteLane.Operation(change: .write(entry), debounce: .seconds(1), maxDelay: .seconds(10)), for: Key(pipeline: name))
        }

        schedule("a")
        schedule("b")
        await disk.finished(.writes, atLeast: 1)

        #expect(disk.calls.map(\.description) == ["write a"])
        #expect(await queue.flush().isEmpty)
        #expect(disk.writeCount == 2)
    }

    @Test func `DB-09 flushing one key writes only that`() async throws {
        let time = ManualClock()
        let disk = StubSource("disk", clock: time.clock)
        let queue = WriteQueue(disk, clock: time.clock)
        for name in ["a", "b"] {
            let entry = Entry([1], created: time.now)
            queue.schedule(
                WriteLane.Operation(change: .write(entry), debounce: .seconds(1), maxDelay: .seconds(10)), for: Key(pipeline: name))
        }

        await queue.flush(Key(pipeline: "b"))

        #expect(disk.calls.map(\.description) == ["write b"])
    }

    @Test func `DB-09 who waits for a write waits until its end has been told`() {
        let now = ManualClock().now
        var lane = WriteLane()
        _ = lane.add(WriteLane.Operation(change: .write(Entry([1], created: now))), at: now)

        let actions = lane.finish(.done, at: now)

        #expect(actions.count == 1)
        #expect(lane.isEmpty && !lane.isSettled && !lane.isIdle)
        lane.reported()
        #expect(lane.isSettled && lane.isIdle)
    }

    @Test func `DB-09 after a flush every write has said how it ended`() async {
        let time = ManualClock()
        let queue = WriteQueue(StubSource("disk", clock: time.clock), clock: time.clock)
        let told = Mutex(0)
        for number in 1...500 {
            let entry = Entry([1], created: time.now)
            let operation = WriteLane.Operation(change: .write(entry), completion: { _ in told.withLock { $0 += 1 } })
            queue.schedule(operation, for: Key(pipeline: "friends"))
            await queue.flush()

            let count = told.withLock { $0 }
            guard count == number else { return #expect(count == number) }
        }
    }

    @Test func `DB-14 one busy key does not delay another`() async throws {
        let scene = try Scene(Self.tiers)
        _ = try await scene.friends.fetch(["user": "quiet"], policy: .refresh)
        for number in 1...3 {
            _ = try await set("[\(number)]", in: scene)
            await scene.time.sleepers(atLeast: 1)
            scene.time.advance(by: .milliseconds(20))
        }
        await scene.disk.finished(.writes, atLeast: 1)

        #expect(scene.disk.calls.filter { $0.operation == .writes }.map { $0.key?["user"] } == ["quiet"])
    }

    @Test func `IN-10 a removal drops the value that waits`() async throws {
        let scene = try Scene(Self.tiers)
        let outcome = try await set("[1]", in: scene)

        _ = try await scene.friends.remove(scene.key)
        await scene.pipelines.flush()

        #expect(scene.disk.writeCount == 0)
        #expect(scene.diskText == nil)
        #expect(outcome.writes[0].outcome == .skipped)
    }
}
