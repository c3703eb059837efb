import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

@Suite struct InvalidationMessageTests {
    @Test(arguments: [false, true]) func `what one process removes is dropped by the others`(isClear: Bool) async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        for process in processes { try await process.fetch() }
        town.network.answers("[\"v2\"]")

        let report = isClear ? try await processes[0].friends.clear() : try await processes[0].friends.remove(town.key)
        await processes[1].receives(1)

        #expect(report.isComplete)
        #expect(report.lines.map(\.source) == ["shared", "disk", "memory"])
        #expect(processes[0].published == [isClear ? "publish friends" : "publish friends,user=42"])
        #expect(processes[1].memoryText == nil)
        #expect(processes[1].diskText == nil)
        #expect(processes[1].published == [])
        #expect(processes[1].shared.removeCount + processes[1].shared.count(of: .clears) == 0)
        #expect(try await processes[1].fetch().text == "[\"v2\"]")
    }

    @Test(.timeLimit(.minutes(15))) func `a shared cache whose write hangs keeps no disk from forgetting what another process removed`()
        async throws
    {
        let town = Town("tiers: [memory, disk, { source: shared, timeout: 1s }, network]", publishes: true)
        let processes = try await town.processes(2)
        let (other, here) = (processes[0], processes[1])
        let gate = Gate()
        defer { gate.open() }
        here.shared.delay(.writes, until: gate, ignoringCancellation: true)
        _ = try await here.friends.fetch(town.key)
        await here.shared.writes(atLeast: 1)
        await here.disk.finished(.writes, atLeast: 1)
        town.network.answers("[\"v2\"]")

        _ = try await other.friends.remove(town.key)
        await here.shared.receptions(atLeast: 2)

        try await yieldUntil { here.diskText == nil }
        #expect(here.diskText == nil && here.memoryText == nil)
        #expect(try await here.friends.fetch(town.key).trace == "memory: miss, disk: miss, shared: miss, network: hit")
        #expect(here.memoryText == nil, "the removal has not ended yet")
        // When the time of the shared cache is over, what is loaded counts again.
        let limit = town.time.now + .seconds(10)
        while here.memoryText == nil, !Task.isCancelled {
            if town.time.now < limit { town.time.advance(by: .milliseconds(100)) }
            for _ in 0..<20 { await Task.yield() }
            _ = try await here.friends.fetch(town.key)
        }
        #expect(here.memoryText == "[\"v2\"]")
        try await yieldUntil { here.diskText != nil }
        #expect(here.diskText == "[\"v2\"]")
    }

    @Test func `a process that publishes does not receive its own message`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]

        _ = try await process.friends.put(Array("[1]".utf8), for: town.key).waitForWrites()

        #expect(process.published.count == 1)
        #expect(process.shared.count(of: .receptions) == 1)
        #expect(process.memoryText == "[1]")
    }

    @Test func `what one process puts is what the others load next`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        for process in processes { try await process.fetch() }

        try await processes[0].friends.put(Array("[\"put\"]".utf8), for: town.key).waitForWrites()
        await processes[1].receives(1)

        #expect(try await processes[1].fetch().trace == "memory: miss, disk: miss, shared: hit")
        #expect(processes[1].memoryText == "[\"put\"]")
        #expect(town.network.readCount == 1)
    }

    @Test func `a put is published when the shared cache has it, not before`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]
        let gate = Gate()
        process.shared.delay(.writes, until: gate)

        let put = try await process.friends.put(Array("[1]".utf8), for: town.key)
        await process.shared.writes(atLeast: 1)
        #expect(process.published == [])
        gate.open()
        try await put.waitForWrites()

        #expect(process.published.count == 1)
        #expect(put.writes.map(\.description) == ["memory: written", "disk: written", "shared: written"])
    }

    @Test func `puts of a debounced cache are published once, when the last is written`() async throws {
        let town = Town("tiers: [memory, { source: shared, debounce: 1s }, network]", publishes: true)
        let process = try await town.processes(1)[0]

        for number in 0..<5 { try await process.friends.put(Array("[\(number)]".utf8), for: town.key).waitForWrites() }
        #expect(process.published == [])
        await town.time.sleepers(atLeast: 1)
        town.time.advance(by: .seconds(1))
        await process.shared.finished(.messages, atLeast: 1)
        await process.pipelines.flush()

        #expect(town.sharedText == "[4]")
        #expect(process.published.count == 1)
    }

    @Test func `a debounced put that comes while an older one is written is published when it is written itself`() async throws {
        let town = Town("tiers: [memory, { source: shared, debounce: 1s }, network]", publishes: true)
        let process = try await town.processes(1)[0]
        let gate = Gate()
        process.shared.delay(.writes, until: gate)
        _ = try await process.friends.put(Array("[1]".utf8), for: town.key)
        await town.time.sleepers(atLeast: 1)
        town.time.advance(by: .seconds(1))
        await process.shared.writes(atLeast: 1)

        _ = try await process.friends.put(Array("[2]".utf8), for: town.key)
        gate.open()
        await process.shared.finished(.messages, atLeast: 1)
        await process.pipelines.flush()

        #expect(town.sharedText == "[2]")
        #expect(process.published.count == 2)
        #expect(process.shared.calls.last?.operation == .messages)
    }

    @Test func `a flush publishes what it writes`() async throws {
        let town = Town("tiers: [memory, { source: shared, debounce: 1h }, network]", publishes: true)
        let process = try await town.processes(1)[0]
        _ = try await process.friends.put(Array("[1]".utf8), for: town.key)

        await process.pipelines.shutDown()

        #expect(town.sharedText == "[1]")
        #expect(process.published.count == 1)
    }

    @Test func `a refresh that was asked for is published, one in the background is not`() async throws {
        let town = Town(
            "tiers: [{ source: memory, ttl: 10s }, { source: shared, ttl: 10s }, network]\nstale_while_revalidate: 1m", publishes: true)
        let processes = try await town.processes(2)
        for process in processes { try await process.fetch() }
        town.network.answers("[\"v2\"]")

        try await processes[0].fetch(.refresh)
        await processes[1].receives(1)
        #expect(processes[1].memoryText == nil)
        #expect(try await processes[1].fetch().text == "[\"v2\"]")
        town.time.advance(by: .seconds(11))
        #expect(try await processes[0].fetch().isStale)
        await processes[0].friends.finishRefreshes()
        await processes[0].pipelines.flush()

        #expect(processes[0].published.count == 1)
        #expect(town.network.readCount == 3)
    }

    @Test(arguments: [FetchPolicy.default, .cacheOnly, .noStore]) func `other fetches publish nothing`(policy: FetchPolicy) async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]

        try await process.fetch(policy)

        #expect(process.published == [])
    }

    @Test func `a refresh that fails publishes nothing`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]
        town.network.answers(.error())

        try await process.fetch(.refresh)

        #expect(process.published == [])
    }

    @Test func `without invalidation no process publishes or subscribes`() async throws {
        let town = Town()
        let process = try town.process()
        process.pipelines.startListening()

        try await process.fetch()
        _ = try await process.friends.remove(town.key)

        #expect(town.server.subscriberCount == 0)
        #expect(process.published == [])
        #expect(process.friends.invalidation.confirmation == nil)
    }

    @Test func `IN-01 a load that began before the invalidation message writes nothing`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        async let loading = processes[1].friends.fetch(town.key)
        await town.network.reads(atLeast: 1)

        _ = try await processes[0].friends.remove(town.key)
        await processes[1].receives(1)
        async let later = processes[1].fetch()
        #expect(try await later.text == "[\"new\"]")
        gate.open()
        let old = try await loading
        try await old.waitForWrites()

        #expect(old.text == "[\"old\"]")
        #expect(old.writes.map(\.outcome) == [.skipped, .skipped, .skipped])
        #expect(processes[1].memoryText == "[\"new\"]")
        #expect(town.sharedText == "[\"new\"]")
    }

    @Test(arguments: [false, true])
    func `a write that is under way when another process publishes does not stay in the shared cache`(isClear: Bool) async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        let gate = Gate()
        processes[1].shared.delay(.writes, until: gate)
        town.network.answers("[\"old\"]")
        let outcome = try await processes[1].friends.fetch(town.key)
        await processes[1].shared.writes(atLeast: 1)

        if isClear {
            _ = try await processes[0].friends.clear()
        } else {
            try await processes[0].friends.put(Array("[\"put\"]".utf8), for: town.key).waitForWrites()
        }
        await processes[1].shared.receptions(atLeast: 2)
        gate.open()
        try await outcome.waitForWrites()
        await processes[1].friends.finishRefreshes()

        #expect(town.sharedText == nil)
        #expect(processes[0].memoryText == (isClear ? nil : "[\"put\"]"))
    }

    @Test func `a hung disk keeps no copy in memory alive, and holds up no later message`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        let other = Key(pipeline: "friends", parameters: ["user": "43"])
        for key in [town.key, other] { try await processes[1].friends.fetch(key).waitForWrites() }
        let gate = Gate()
        processes[1].disk.delay(.removes, until: gate)

        _ = try await processes[0].friends.remove(town.key)
        _ = try await processes[0].friends.remove(other)
        await processes[1].shared.receptions(atLeast: 3)

        #expect(processes[1].memory.count == 0)
        gate.open()
        await processes[1].friends.finishRefreshes()
        #expect(processes[1].disk.contents.isEmpty)
    }

    @Test func `messages of other pipelines change nothing`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        try await processes[1].fetch()

        try await processes[0].shared.publish(.pipeline("foes"))
        try await processes[0].shared.publish(.key(Key(pipeline: "foes")))
        await processes[1].receives(2)

        #expect(processes[1].memoryText == "[\"v1\"]")
    }

    @Test func `who could not be told is named, and nothing else fails`() async throws {
        let town = Town(publishes: true)
        let recorder = EventRecorder()
        let process = try town.process(observers: [recorder.observer])
        await process.subscribe()
        process.shared.fail(.messages, with: SourceError("connection lost"))

        let put = try await process.friends.put(Array("[1]".utf8), for: town.key)
        try await put.waitForWrites()
        let outcome = try await process.fetch(.refresh)
        let removal = try await process.friends.remove(town.key)
        let clear = try await process.friends.clear()

        let sentence = "the invalidation message was not published: connection lost"
        #expect(put.writes.last?.description == "shared: failed (\(sentence))")
        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writes.last?.description == "shared: failed (\(sentence))")
        #expect(recorder.lines.filter { $0.hasSuffix("write shared: failed (\(sentence))") }.count == 2)
        #expect(removal.lines.map(\.failure) == [sentence, nil, nil])
        #expect(!clear.isComplete)
        #expect(process.memoryText == nil)
    }

    @Test func `a removal that the shared cache refused is published again once it is made`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]
        try await process.fetch()
        process.shared.fail(.removes)
        _ = try await process.friends.remove(town.key)
        process.shared.recover()

        #expect(try await process.fetch().trace == "memory: miss, disk: miss, shared: miss, network: hit")

        #expect(process.published.count == 2)
    }

    @Test func `a clear that the shared cache refused is published as one once it is made`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]
        try await process.fetch()
        process.shared.fail(.clears)
        _ = try await process.friends.clear()
        process.shared.recover()

        try await process.fetch()

        #expect(process.published.count == 2)
        #expect(process.published.first == process.published.last)
    }

    @Test func `a removal whose caller is cancelled is made and published all the same`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]
        try await process.fetch()
        let gate = Gate()
        process.shared.delay(.removes, until: gate)
        let removal = Task { try await process.friends.remove(town.key) }
        await process.shared.removes(atLeast: 1)

        removal.cancel()
        let report = try await removal.value
        gate.open()
        await process.shared.finished(.messages, atLeast: 1)

        #expect(!report.isComplete)
        #expect(town.sharedText == nil)
        #expect(process.memoryText == nil)
    }

    @Test func `nothing is heard after the shutdown`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)

        await processes[1].pipelines.shutDown()
        try await yieldUntil { town.server.subscriberCount <= 1 }
        _ = try await processes[0].friends.remove(town.key)

        #expect(processes[1].shared.count(of: .receptions) == 1)
    }

    @Test func `pipelines that are no longer kept end their subscription`() async throws {
        let town = Town(publishes: true)
        do {
            let process = try town.process()
            await process.subscribe()
        }

        try await yieldUntil { town.server.subscriberCount == 0 }
    }
}
