import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

/// Processes that end, and fetches that leave, while they have a lease.
@Suite struct LeaseEndingTests {
    private let lease = SharedFlight(lease: .seconds(300))

    @Test(arguments: [false, true]) func `a holder that leaves is followed by one other, at once`(isShutDown: Bool) async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        town.network.answers(.hanging, StubAnswer.value("[1]").after(.seconds(20)))
        let holder = try town.process()
        let fetch = Task { try await holder.fetch() }
        await town.network.reads(atLeast: 1)
        let others = try (0..<5).map { _ in try town.process() }
        let fetches = others.map { process in Task { try await process.fetch() } }
        for process in others { await process.shared.finished(.fruitlessQuestions, atLeast: 1) }
        let begin = town.time.now

        if isShutDown {
            await holder.pipelines.shutDown()
            #expect(town.server.holder(of: town.key) == nil)
        } else {
            fetch.cancel()
        }
        let outcomes = try await town.outcomes(of: fetches, by: .milliseconds(10))

        #expect(outcomes.allSatisfy { $0.text == "[1]" })
        #expect(town.network.readCount == 2)
        #expect(town.time.now.duration(since: begin) < .seconds(60))
    }

    @Test func `the shutdown gives back every lease before it is over`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        town.network.answers(.hanging)
        let process = try town.process()
        let keys = (0..<200).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }
        let fetches = keys.map { key in Task { try await process.friends.fetch(key) } }
        await town.network.reads(atLeast: keys.count)

        await process.pipelines.shutDown()

        #expect(keys.filter { town.server.holder(of: $0) != nil }.count == 0)
        for fetch in fetches { await #expect(throws: ShutDownError.self) { try await fetch.value } }
        #expect(process.shared.count(of: .releases) == keys.count)
    }

    @Test(arguments: [false, true]) func `the shutdown gives a lease back after the write of its key`(failsToWrite: Bool) async throws {
        let town = Town("tiers: [memory, { source: shared, debounce: 1m }, network]", sharedFlight: lease)
        let process = try town.process()
        if failsToWrite { process.shared.fail(.writes) }
        try await process.fetch()
        #expect(town.server.holder(of: town.key) != nil)

        await process.pipelines.shutDown()

        #expect(town.sharedText == (failsToWrite ? nil : "[\"v1\"]"))
        #expect(town.server.holder(of: town.key) == nil)
        let operations = process.shared.calls.map(\.operation)
        #expect(operations.filter { [.writes, .releases].contains($0) } == [.writes, .releases])
        let fruitless = try await process.shared.lastFruitlessHolder(of: town.key)
        #expect((fruitless != nil) == failsToWrite)
    }

    @Test func `a lease that was asked for before the shutdown and comes after it is given back`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        let (taking, release) = (Gate(), Gate())
        process.shared.delay(.takings, until: taking, ignoringCancellation: true)
        process.shared.delay(.releases, until: release)
        let fetch = Task { try await process.fetch() }
        await process.shared.begun(.takings, atLeast: 1)

        let shutdown = Task { await process.pipelines.shutDown() }
        await #expect(throws: ShutDownError.self) { try await fetch.value }
        taking.open()
        await process.shared.begun(.releases, atLeast: 1)
        for _ in 0..<1_000 { await Task.yield() }
        release.open()
        _ = await shutdown.value

        #expect(process.shared.count(of: .releases) == 1)
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `the lease of a load that goes on after its soft timeout is given back by the shutdown`() async throws {
        let (town, process) = try await Town.withExpiredCopy(sharedFlight: lease)
        town.network.answers(.hanging)
        let fetch = Task { try await process.fetch() }
        #expect(try await town.outcomes(of: [fetch])[0].isStale)
        #expect(town.server.holder(of: town.key) != nil)
        let release = Gate()
        process.shared.delay(.releases, until: release)

        let shutdown = Task { await process.pipelines.shutDown() }
        await process.shared.begun(.releases, atLeast: 2)
        for _ in 0..<1_000 { await Task.yield() }
        release.open()
        _ = await shutdown.value

        #expect(town.server.holder(of: town.key) == nil)
        #expect(try await process.shared.lastFruitlessHolder(of: town.key) == nil)
    }

    @Test func `a lease that cannot be given back holds the shutdown up no longer than its bound`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        process.shared.delay(.releases, until: Gate())
        town.network.answers(.hanging)
        let fetch = Task { try await process.fetch() }
        await town.network.reads(atLeast: 1)
        let begin = town.time.now

        _ = await town.passing { await process.pipelines.shutDown(within: .seconds(5)) }

        await #expect(throws: ShutDownError.self) { try await fetch.value }
        let passed = town.time.now.duration(since: begin)
        #expect(passed >= .seconds(5) && passed < .seconds(20), "\(passed)")
        #expect(process.shared.count(of: .releases) == 1)
    }

    @Test func `a hanging write of one key does not keep the lease of another`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        process.shared.delay(.writes, until: Gate(), ignoringCancellation: true)
        let other = Key(pipeline: "friends", parameters: ["user": "43"])
        _ = try await process.friends.fetch(other)
        await process.shared.writes(atLeast: 1)
        town.network.answers(.hanging)
        let fetch = Task { try await process.fetch() }
        await town.network.reads(atLeast: 2)

        let unwritten = await town.passing { await process.pipelines.shutDown(within: .seconds(5)) }

        await #expect(throws: ShutDownError.self) { try await fetch.value }
        #expect(unwritten.map(\.keys) == [[other]])
        #expect(town.server.holder(of: town.key) == nil)
    }
}
