import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// A value that is put, and the copies of older ones that are read while caches are still being written.
@Suite struct ReplacementTests {
    @Test func `a put gives the value as it was given, and what the caches did, also where all fail`() async throws {
        let scene = try Scene()
        scene.disk.fail(.writes)

        let put = try await scene.friends.put(Array("[1]".utf8), for: scene.key)
        try await put.waitForWrites()

        #expect(put.text == "[1]")
        #expect(put.source == nil && put.attempts.isEmpty)
        #expect(put.writes.map(\.outcome).contains(.failed))
    }

    @Test func `what is read from a slow cache while a put is on its way to it is the new value, also in the caches above`() async throws {
        let town = Town("tiers: [disk, shared, network]")
        let process = try town.process()
        try await process.fetch()
        let gate = Gate()
        process.shared.delay(.writes, until: gate)

        let put = try await process.friends.put(Array("[\"put\"]".utf8), for: town.key)
        await process.shared.writes(atLeast: 2)
        await process.disk.finished(.writes, atLeast: 2)
        process.disk.fail(.reads)
        let during = try await process.fetch()
        gate.open()
        try await put.waitForWrites()

        #expect(during.trace == "disk: error, shared: hit")
        #expect(during.text == "[\"put\"]")
        #expect(process.diskText == "[\"put\"]")
        #expect(town.sharedText == "[\"put\"]")
        #expect(town.network.readCount == 1)
    }

    @Test(arguments: [false, true])
    func `a value that is put while the key is being removed is stored after that`(isClear: Bool) async throws {
        let scene = try Scene("tiers: [memory, disk, network]")
        scene.disk.hold("[\"old\"]", for: scene.key)
        let gate = Gate()
        scene.disk.delay(isClear ? .clears : .removes, until: gate)
        let removal = Task { isClear ? try await scene.friends.clear() : try await scene.friends.remove(scene.key) }
        await scene.disk.begun(isClear ? .clears : .removes, atLeast: 1)

        let putting = Task { try await scene.friends.put(Array("[\"put\"]".utf8), for: scene.key) }
        // Another key is not removed, unless all are.
        if !isClear { _ = try await scene.friends.put([0x31], for: Key(pipeline: "friends", parameters: ["user": "2"])) }
        gate.open()
        let put = try await putting.value
        try await put.waitForWrites()
        let report = try await removal.value

        #expect(report.isComplete)
        #expect(put.writes.map(\.description) == ["memory: written", "disk: written"])
        #expect(scene.memoryText == "[\"put\"]" && scene.diskText == "[\"put\"]")
    }

    @Test func `a put that waits for a removal leaves when it is cancelled`() async throws {
        let scene = try Scene("tiers: [memory, disk, network]")
        let gate = Gate()
        scene.disk.delay(.removes, until: gate)
        let removal = Task { try await scene.friends.remove(scene.key) }
        await scene.disk.removes(atLeast: 1)

        let putting = Task { try await scene.friends.put(Array("[\"put\"]".utf8), for: scene.key) }
        putting.cancel()

        await #expect(throws: CancellationError.self) { _ = try await putting.value }
        gate.open()
        #expect(try await removal.value.isComplete)
        #expect(scene.memoryText == nil && scene.diskText == nil)
    }

    @Test(arguments: ["disk", "{ source: disk, debounce: 1s }"])
    func `a cache that a put could not be written to does not answer with what it held before`(disk: String) async throws {
        let scene = try Scene("tiers: [\(disk), network]")
        scene.disk.hold("[\"old\"]", for: scene.key)
        scene.network.answers("[\"new\"]")
        scene.disk.fail(.writes)

        let put = try await scene.friends.put(Array("[\"put\"]".utf8), for: scene.key)
        try await put.waitForWrites()
        await scene.pipelines.flush()
        #expect(put.writes.map(\.outcome) == [.failed])
        // One that is debounced is still to be written, and is seen.
        let isPending = disk != "disk"
        #expect(try await scene.fetch(.cacheOnly).text == (isPending ? "[\"put\"]" : nil))
        scene.disk.fail(.removes)
        let untrusted = try await scene.fetch()
        scene.disk.recover()
        let trusted = try await scene.fetch()

        #expect(untrusted.text == (isPending ? "[\"put\"]" : "[\"new\"]"))
        #expect(trusted.text == (isPending ? "[\"put\"]" : "[\"new\"]"))
        #expect(scene.diskText != "[\"old\"]" || isPending)
    }

    @Test func `what is read before a put has been handed to every cache is not kept`() async throws {
        let slow = SlowMemory()
        let scene = try Scene(
            "tiers: [{ source: slow, read: false }, disk, network]",
            extra: [SourcePlugin(cache: "stub_slow", summary: "", capabilities: [.keepsMetadata]) { _ in slow }],
            sources: "slow: { type: stub_slow }")
        scene.disk.hold("[\"old\"]", for: scene.key)

        async let putting = scene.friends.put(Array("[\"put\"]".utf8), for: scene.key)
        await slow.gate.waiters(atLeast: 1)
        async let reading = scene.friends.fetch(scene.key)
        await scene.disk.finished(.reads, atLeast: 1)
        slow.gate.open()
        let (put, outcome) = try await (putting, reading)
        try await put.waitForWrites()
        try await outcome.waitForWrites()

        #expect(outcome.text == "[\"old\"]")
        #expect(outcome.writeTrace == "slow: skipped")
        #expect(slow.peek(scene.key)?.payload == Array("[\"put\"]".utf8))
        #expect(scene.diskText == "[\"put\"]")
        #expect(scene.friends.generations.count == 0)
    }

    @Test func `a load that began while a put was handed out is not joined afterwards`() async throws {
        let slow = SlowMemory()
        let scene = try Scene(
            "tiers: [{ source: slow, read: false }, network]",
            extra: [SourcePlugin(cache: "stub_slow", summary: "", capabilities: [.keepsMetadata]) { _ in slow }],
            sources: "slow: { type: stub_slow }")
        let answer = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(answer), "[\"new\"]")

        async let putting = scene.friends.put(Array("[\"put\"]".utf8), for: scene.key)
        await slow.gate.waiters(atLeast: 1)
        async let reading = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)
        slow.gate.open()
        _ = try await putting
        let later = try await scene.friends.fetch(scene.key)
        answer.open()

        #expect(later.text == "[\"new\"]")
        #expect(try await reading.text == "[\"old\"]")
        #expect(slow.peek(scene.key)?.payload == Array("[\"new\"]".utf8))
    }

    @Test func `a value that takes the place of one that was put is seen like that`() {
        let now = ManualClock().now
        let (generations, key) = (Generations(), Key(pipeline: "friends"))
        var lane = WriteLane()
        func write(_ byte: UInt8, _ permit: Generations.WritePermit) -> WriteLane.Operation {
            WriteLane.Operation(change: .write(Entry([byte], created: now)), permit: permit)
        }
        func seen() -> [UInt8]? { if case .write(let entry) = lane.pending { entry.payload } else { nil } }

        _ = lane.add(write(1, generations.permit(for: key)), at: now)
        #expect(seen() == nil)
        let replacement = generations.beginReplacement(of: key)
        _ = lane.add(write(2, replacement), at: now)
        generations.endReplacement(of: key)
        #expect(seen() == [2])
        _ = lane.add(write(3, generations.permit(for: key)), at: now)
        #expect(seen() == [3])
        _ = lane.finish(.outdated, at: now)
        #expect(seen() == [3])
    }

    @Test func `a write permit that is taken while a value is replaced is worth nothing, that of the value is good until the next one`() {
        let (generations, key) = (Generations(), Key(pipeline: "friends"))
        do {
            let before = generations.permit(for: key)
            let first = generations.beginReplacement(of: key)
            let during = generations.permit(for: key)
            #expect([before, first, during].map(\.isCurrent) == [false, true, false])

            let second = generations.beginReplacement(of: key)
            generations.endReplacement(of: key)
            let still = generations.permit(for: key)
            generations.endReplacement(of: key)
            let after = generations.permit(for: key)
            #expect([first, during, second, still, after].map(\.isCurrent) == [false, false, true, false, true])

            generations.beginRemoval(of: key)
            let removed = generations.beginReplacement(of: key)
            generations.endReplacement(of: key)
            generations.endRemoval(of: key)
            #expect([second, after, removed].map(\.isCurrent) == [false, false, false])

            let last = generations.permit(for: key)
            generations.beginClear()
            let cleared = generations.permit(for: key)
            generations.endClear()
            #expect([last, cleared, generations.permit(for: key)].map(\.isCurrent) == [false, false, true])
        }
        #expect(generations.count == 0)
    }
}

/// Memory whose writes wait.
private final class SlowMemory: WritableSource {
    let gate = Gate()
    private let held = Mutex<[Key: Entry]>([:])

    var style: ReadStyle { .immediate }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { peek(key) }

    func peek(_ key: Key) -> Entry? { held.withLock { $0[key] } }

    func write(_ entry: Entry, for key: Key) async throws {
        try await gate.wait()
        held.withLock { $0[key] = entry }
    }

    func remove(_ key: Key) async throws {
        held.withLock { $0[key] = nil }
    }

    func clear(pipeline: String) async throws {
        held.withLock { $0 = [:] }
    }
}
