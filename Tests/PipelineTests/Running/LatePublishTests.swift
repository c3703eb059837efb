import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// Invalidation messages that wait for a write: they are published when it is made at last, and do not pile up meanwhile.
@Suite struct LatePublishTests {
    private static let debounced = "tiers: [memory, { source: shared, debounce: 1s }, network]"

    @Test func `a debounced put that fails first is published when it is written at last, and not before`() async throws {
        let town = Town(Self.debounced, publishes: true)
        let processes = try await town.processes(2)
        try await processes[1].fetch()
        let process = processes[0]
        process.shared.fail(.writes)
        let put = try await process.friends.put(Array("[1]".utf8), for: town.key)
        await town.time.sleepers(atLeast: 1)
        town.time.advance(by: .seconds(1))
        await process.shared.finished(.writes, atLeast: 1)
        await process.pipelines.flush()
        #expect(put.writes.map(\.outcome) == [.written, .failed])
        #expect(process.published == [])

        process.shared.recover(.writes)
        await process.pipelines.flush()
        await processes[1].receives(1)

        #expect(town.sharedText == "[1]")
        #expect(process.published.count == 1)
        #expect(processes[1].memoryText == nil)
    }

    @Test func `one that fails and is replaced by a refresh in the background is published when that is written`() async throws {
        let town = Town(
            "tiers: [{ source: memory, ttl: 10s }, { source: shared, debounce: 1s, read: false }, network]\nstale_while_revalidate: 1m",
            publishes: true)
        let process = try await town.processes(1)[0]
        process.shared.fail(.writes)
        _ = try await process.friends.put(Array("[1]".utf8), for: town.key)
        await process.pipelines.flush()
        town.time.advance(by: .seconds(11))
        await process.shared.finished(.writes, atLeast: 2)
        await process.pipelines.flush()
        process.shared.recover(.writes)

        #expect(try await process.friends.fetch(town.key).isStale)
        await process.friends.finishRefreshes()
        #expect(process.published == [])
        await process.pipelines.flush()

        #expect(town.sharedText == "[\"v1\"]")
        #expect(process.published.count == 1)
    }

    @Test(arguments: ["shared", "{ source: shared, debounce: 1s }"])
    func `puts that wait behind a write that hangs are published once, and no caller waits for those that are not made`(
        tier: String
    ) async throws {
        let town = Town("tiers: [memory, \(tier), network]", publishes: true)
        let process = try await town.processes(1)[0]
        let gate = Gate()
        process.shared.delay(.writes, until: gate)
        var puts = [try await process.friends.put(Array("[0]".utf8), for: town.key)]
        if tier != "shared" {
            await town.time.sleepers(atLeast: 1)
            town.time.advance(by: .seconds(1))
        }
        await process.shared.writes(atLeast: 1)

        for number in 1...100 { puts.append(try await process.friends.put(Array("[\(number)]".utf8), for: town.key)) }
        let skipped = puts[1...99].map { $0.writes.map(\.description).joined(separator: ", ") }
        gate.open()
        await process.pipelines.flush()
        for put in puts { try await put.waitForWrites() }

        #expect(Set(skipped) == ["memory: written, shared: skipped (a newer value took its place)"])
        #expect(town.sharedText == "[100]")
        #expect(process.published.count == 2)
        #expect(process.shared.calls.last?.operation == .messages)
    }

    @Test func `what changes while a message hangs is published once after it`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]
        let gate = Gate()
        process.shared.delay(.messages, until: gate)
        var puts: [Outcome] = []

        for number in 1...20 {
            puts.append(try await process.friends.put(Array("[\(number)]".utf8), for: town.key))
            await process.shared.finished(.writes, atLeast: number)
        }
        await process.shared.finished(.writes, atLeast: 20)
        gate.open()
        for put in puts { try await put.waitForWrites() }
        await process.pipelines.flush()

        #expect(town.sharedText == "[20]")
        #expect(process.published.count == 2)
    }

    @Test func `who asked for one of many removals is told, however many there are`() {
        let now = ManualClock().now
        let told = Mutex(0)
        var lane = WriteLane()
        _ = lane.add(WriteLane.Operation(change: .write(Entry([1], created: now))), at: now)
        for _ in 0..<100_000 {
            _ = lane.add(WriteLane.Operation(change: .remove, completion: { _ in told.withLock { $0 += 1 } }), at: now)
        }

        var isRunning = false
        for action in lane.finish(.done, at: now) { if case .run = action { isRunning = true } }
        for case .complete(let operation, let ending) in lane.finish(.done, at: now) { operation.completion(ending) }

        #expect(isRunning)
        #expect(told.withLock { $0 } == 100_000)
        #expect(lane.isEmpty)
    }

    @Test(arguments: [false, true])
    func `what is published again while it is being forgotten is forgotten once`(isClear: Bool) async throws {
        let town = Town(publishes: true)
        let recorder = EventRecorder()
        let processes = [try town.process(), try town.process(observers: [recorder.observer])]
        for process in processes { await process.subscribe() }
        try await processes[1].fetch()
        let operation = isClear ? StubOperation.clears : .removes
        let gate = Gate()
        processes[1].disk.delay(operation, until: gate)

        for _ in 0..<100 { try await processes[0].shared.publish(isClear ? .pipeline("friends") : .key(town.key)) }
        await processes[1].shared.receptions(atLeast: 101)
        if isClear { await processes[1].disk.clears(atLeast: 1) } else { await processes[1].disk.removes(atLeast: 1) }
        gate.open()
        await processes[1].friends.finishRefreshes()
        #expect(processes[1].disk.count(of: operation) == 1)
        #expect(recorder.lines.filter { $0.contains(" removed from memory, disk") }.count == 1)
        #expect(processes[1].friends.generations.count == 0)

        try await processes[0].shared.publish(.key(town.key))
        await processes[1].receives(101)
        #expect(recorder.lines.filter { $0.contains(" removed from memory, disk") }.count == 2)
    }

    @Test func `a load that began before a repeated invalidation message is not joined after it`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        let (gate, answer) = (Gate(), Gate())
        processes[1].disk.delay(.removes, until: gate)
        town.network.answers(StubAnswer.value("[\"old\"]").after(answer), "[\"new\"]")
        try await processes[0].shared.publish(.key(town.key))
        await processes[1].shared.receptions(atLeast: 2)
        async let first = processes[1].friends.fetch(town.key)
        await town.network.reads(atLeast: 1)

        try await processes[0].shared.publish(.key(town.key))
        await processes[1].shared.receptions(atLeast: 3)
        // The message after it is received when the one before has been taken in.
        try await processes[0].shared.publish(.pipeline("foes"))
        await processes[1].shared.receptions(atLeast: 4)
        let second = try await processes[1].friends.fetch(town.key)
        answer.open()
        gate.open()

        #expect(second.text == "[\"new\"]")
        #expect(try await first.text == "[\"old\"]")
        await processes[1].friends.finishRefreshes()
        #expect(processes[1].memoryText == nil)
    }
}
