import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

@Suite struct SharedFlightTests {
    private let lease = SharedFlight(lease: .seconds(5))

    /// What a fetch comes to while another process has the lease, and stores nothing.
    private func outcome(of process: Inhabitant, in town: Town, whileLeasedFor duration: Duration = .seconds(60)) async throws -> Outcome {
        _ = try await process.shared.takeLease(of: town.key, for: "another", lasting: duration)
        let fetch = Task { try await process.fetch() }
        await town.waiting(1)
        return try await town.outcomes(of: [fetch])[0]
    }

    @Test(arguments: [2, 8, 32]) func `CO-18 of many processes that miss a key one loads it`(count: Int) async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let gate = Gate()
        town.network.answers(StubAnswer.value("[1]").after(gate))
        let processes = try (0..<count).map { _ in try town.process() }
        let fetches = processes.map { process in Task { try await process.fetch() } }
        await town.network.reads(atLeast: 1)
        for process in processes { await process.shared.finished(.takings, atLeast: 1) }

        gate.open()
        let outcomes = try await town.outcomes(of: fetches)

        #expect(town.network.readCount == 1)
        #expect(outcomes.allSatisfy { $0.text == "[1]" })
        #expect(outcomes.filter { $0.source == "network" }.count == 1)
        let waited = outcomes.filter { $0.source == "shared" }
        #expect(waited.count == count - 1)
        #expect(waited.allSatisfy { $0.trace == "memory: miss, shared: miss, shared: hit" })
        #expect(waited.allSatisfy { $0.attempts.last?.reason?.hasSuffix(" for another process") == true })
        #expect(waited.allSatisfy { $0.writeTrace == "memory: written" })
        // A fetch does not wait for the release of its lease.
        let loader = try #require(outcomes.firstIndex { $0.source == "network" })
        await processes[loader].shared.finished(.releases, atLeast: 1)
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `the trace says how long a process waited`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        _ = try await process.shared.takeLease(of: town.key, for: "another", lasting: .seconds(60))
        let fetch = Task { try await process.fetch() }
        for pause in [10, 20, 40, 80] {
            await town.waiting(1)
            if pause == 80 { process.shared.hold("[2]", for: town.key) }
            town.time.advance(by: .milliseconds(pause))
            await process.shared.finished(.takings, atLeast: pause == 80 ? 5 : 1)
        }

        let outcome = try await town.outcomes(of: [fetch])[0]

        #expect(outcome.text == "[2]")
        // 10 + 20 + 40 + 80, and what passes while the last look is on its way.
        let reason = try #require(outcome.attempts.last?.reason)
        let match = try #require(reason.wholeMatch(of: /waited (\d+)ms for another process/), "\(reason)")
        #expect((150..<1_000).contains(Int(match.1) ?? 0))
        #expect(town.network.readCount == 0)
    }

    @Test func `different keys load side by side`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        _ = try await process.shared.takeLease(of: Key(pipeline: "friends"), for: "another", lasting: .seconds(60))

        #expect(try await process.fetch().trace == "memory: miss, shared: miss, network: hit")
    }

    @Test func `a holder that dies is followed by one other`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let processes = try (0..<6).map { _ in try town.process() }
        _ = try await processes[0].shared.takeLease(of: town.key, for: "the dead", lasting: .seconds(5))
        let fetches = processes.map { process in Task { try await process.fetch() } }
        await town.waiting(6)

        let outcomes = try await town.outcomes(of: fetches)

        #expect(outcomes.allSatisfy { $0.text == "[\"v1\"]" })
        #expect(town.network.readCount == 1)
        let follower = try #require(outcomes.first { $0.source == "network" })
        #expect(follower.trace == "memory: miss, shared: miss, shared: miss, network: hit")
        let reason = try #require(follower.attempts[2].reason)
        #expect(reason.hasPrefix("waited ") && reason.hasSuffix(" for another process, which ended without storing a copy"), "\(reason)")
    }

    @Test func `no lease is believed for longer than it may last`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()

        let outcome = try await outcome(of: process, in: town, whileLeasedFor: .seconds(3_600))

        #expect(outcome.trace == "memory: miss, shared: miss, shared: miss, network: hit")
        // As late as its last look: time goes on while it is on its way.
        let reason = try #require(outcome.attempts[2].reason)
        #expect(reason.prefixMatch(of: /waited [5-9]s(?:\d+ms)? for another process, which\x20/) != nil, "\(reason)")
        #expect(town.network.readCount == 1)
    }

    @Test func `a wait that the deadline ends is not said to have been in vain`() async throws {
        let town = Town("tiers: [memory, shared, network]\ndeadline: 500ms", sharedFlight: lease)
        let process = try town.process()

        let outcome = try await outcome(of: process, in: town, whileLeasedFor: .seconds(3_600))

        let reasons = outcome.attempts.compactMap(\.reason)
        #expect(reasons.contains { $0.hasPrefix("waited ") && $0.hasSuffix(" for another process, which is still loading") }, "\(reasons)")
    }

    @Test func `CO-20 the lease is given back when the holder's write fails`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let processes = try (0..<2).map { _ in try town.process() }
        processes[0].shared.fail(.writes)

        let failed = try await processes[0].fetch()
        await processes[0].pipelines.flush()
        let next = try await processes[1].fetch()

        #expect(failed.writeTrace == "memory: written, shared: failed")
        #expect(next.trace == "memory: miss, shared: miss, network: hit")
        #expect(processes[0].shared.count(of: .releases) == 1)
    }

    @Test func `the lease is given back when the cache has the value, not before`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        process.shared.delay(.writes, until: gate)

        let outcome = try await process.friends.fetch(town.key)
        await process.shared.writes(atLeast: 1)
        #expect(town.server.holder(of: town.key) != nil)
        gate.open()
        try await outcome.waitForWrites()
        await process.pipelines.flush()

        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `and at once when the load fails`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        town.network.answers(.error())

        let outcome = try await process.fetch()
        await process.shared.finished(.releases, atLeast: 1)

        #expect(outcome.failure != nil)
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `and at once when no caller waits for the load any more`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        town.network.answers(.hanging)
        let fetch = Task { try await process.fetch() }
        await town.network.reads(atLeast: 1)
        #expect(town.server.holder(of: town.key) != nil)

        fetch.cancel()
        await process.shared.finished(.releases, atLeast: 1)

        await #expect(throws: CancellationError.self) { try await fetch.value }
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `CA-06 leaving while another process loads is no tier's error, and takes no lease`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let recorder = EventRecorder()
        let process = try town.process(observers: [recorder.observer])
        _ = try await process.shared.takeLease(of: town.key, for: "another", lasting: .seconds(60))
        let fetch = Task { try await process.fetch() }
        await town.waiting(1)

        fetch.cancel()

        await #expect(throws: CancellationError.self) { try await fetch.value }
        try await yieldUntil { process.friends.flights[0].count == 0 }
        #expect(town.server.holder(of: town.key) == "another")
        #expect(!recorder.lines.contains { $0.contains("error") })
        #expect(town.network.readCount == 0)
    }

    @Test func `a lease that comes after its fetch has left is given back`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        process.shared.delay(.takings, until: gate, ignoringCancellation: true)
        let fetch = Task { try await process.fetch() }
        await process.shared.begun(.takings, atLeast: 1)

        fetch.cancel()
        await #expect(throws: CancellationError.self) { try await fetch.value }
        gate.open()
        await process.shared.finished(.releases, atLeast: 1)

        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `a cache that gives no leases is named, and the value is loaded without`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        process.shared.fail(.takings, with: SourceError("read-only"))

        let outcome = try await process.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.trace == "memory: miss, shared: miss, shared: error, network: hit")
        #expect(outcome.attempts[2].reason == "loaded without a lease: read-only")
    }

    @Test func `a cache that does not answer when asked for a lease is left alone after its time limit`() async throws {
        let town = Town("tiers: [memory, { source: shared, timeout: 200ms }, network]", sharedFlight: lease)
        let process = try town.process()
        process.shared.delay(.takings, until: Gate())
        let fetch = Task { try await process.fetch() }
        await process.shared.begun(.takings, atLeast: 1)

        let outcome = try await town.outcomes(of: [fetch])[0]

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.attempts[2].reason == "loaded without a lease: no answer within 200ms")
    }

    @Test func `a cache that cannot be read is not asked for a lease`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        process.shared.fail()

        #expect(try await process.fetch().trace == "memory: miss, shared: error, network: hit")
        #expect(process.shared.count(of: .takings) == 0)
    }

    @Test func `what the origin does not have is known to those who waited, where that is remembered`() async throws {
        let town = Town("tiers: [memory, { source: shared, ttl: 1m }, network]\nnot_found_ttl: 1m", sharedFlight: lease)
        let gate = Gate()
        town.network.answers(StubAnswer.notFound.after(gate))
        let processes = try (0..<4).map { _ in try town.process() }
        let fetches = processes.map { process in Task { try await process.fetch() } }
        await town.network.reads(atLeast: 1)
        for process in processes { await process.shared.finished(.takings, atLeast: 1) }

        gate.open()
        let outcomes = try await town.outcomes(of: fetches)

        #expect(outcomes.allSatisfy { $0.isNotFound })
        #expect(town.network.readCount == 1)
    }

    @Test func `a deadline holds while another process loads`() async throws {
        let town = Town("tiers: [memory, shared, network]\ndeadline: 300ms", sharedFlight: lease)
        let process = try town.process()

        let outcome = try await outcome(of: process, in: town)

        #expect(outcome.failure?.kind == .deadlineExceeded)
        #expect(town.network.readCount == 0)
    }

    @Test func `a soft timeout holds while another process loads`() async throws {
        let (town, process) = try await Town.withExpiredCopy(sharedFlight: lease)

        let outcome = try await outcome(of: process, in: town)

        #expect(outcome.isStale)
        #expect(town.network.readCount == 1)
    }

    @Test func `a load that goes on after its soft timeout keeps the lease`() async throws {
        let (town, process) = try await Town.withExpiredCopy(sharedFlight: lease)
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"late\"]").after(gate))
        let fetch = Task { try await process.fetch() }
        await town.network.reads(atLeast: 2)

        #expect(try await town.outcomes(of: [fetch])[0].isStale)
        for _ in 0..<100 { await Task.yield() }
        #expect(town.server.holder(of: town.key) != nil)
        gate.open()
        await process.shared.finished(.releases, atLeast: 2)

        #expect(town.sharedText == "[\"late\"]")
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `ER-04 a refresh in the background is made by one process, and the others take its copy`() async throws {
        let town = Town(
            "tiers: [{ source: memory, ttl: 10s }, { source: shared, ttl: 10s }, network]\nstale_while_revalidate: 1m",
            sharedFlight: lease)
        let processes = try (0..<3).map { _ in try town.process() }
        for process in processes { try await process.fetch() }
        await processes[0].pipelines.flush()
        town.time.advance(by: .seconds(11))
        town.network.answers("[\"v2\"]")

        for (number, process) in processes.enumerated() {
            // The others find there what the first one has refreshed.
            #expect(try await process.fetch().isStale == (number == 0))
            await process.friends.finishRefreshes()
            await process.pipelines.flush()
        }

        #expect(processes.map(\.memoryText) == ["[\"v2\"]", "[\"v2\"]", "[\"v2\"]"])
        #expect(town.network.readCount == 2)
    }

    @Test func `ER-04 processes that hit the threshold together load once, and none waits`() async throws {
        let town = Town(
            "tiers: [{ source: memory, ttl: 10s }, { source: shared, ttl: 10s }, network]\nrefresh_ahead: 0.5", sharedFlight: lease)
        let processes = try (0..<4).map { _ in try town.process() }
        for process in processes { try await process.fetch() }
        await processes[0].pipelines.flush()
        town.time.advance(by: .seconds(6))
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"v2\"]").after(gate))

        for process in processes { #expect(try await process.friends.fetch(town.key).text == "[\"v1\"]") }
        await town.network.reads(atLeast: 2)
        for (number, process) in processes.enumerated() { await process.shared.finished(.takings, atLeast: number == 0 ? 2 : 1) }
        gate.open()
        let ends = processes.map { process in
            Task {
                await process.friends.finishRefreshes()
                return try await process.fetch()
            }
        }
        let outcomes = try await town.outcomes(of: ends)

        #expect(outcomes.allSatisfy { $0.text == "[\"v2\"]" && $0.source == "memory" })
        #expect(town.network.readCount == 2)
    }

    @Test func `IN-01 a load whose key was removed keeps no caller of its process waiting`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        async let old = process.fetch()
        await town.network.reads(atLeast: 1)

        _ = try await process.friends.remove(town.key)
        #expect(try await process.fetch().text == "[\"new\"]")
        gate.open()

        #expect(try await old.text == "[\"old\"]")
        await process.pipelines.flush()
        #expect(town.sharedText == "[\"new\"]")
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test(arguments: [FetchPolicy.refresh, .noStore, .cacheOnly]) func `other fetches take no lease`(policy: FetchPolicy) async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()

        try await process.fetch(policy)

        #expect(process.shared.count(of: .takings) == 0)
    }

    @Test func `a cache that gets nothing written back holds no leases`() async throws {
        let town = Town("tiers: [memory, { source: shared, write: false }, network]", sharedFlight: lease)
        let process = try town.process()

        try await process.fetch()

        #expect(process.shared.count(of: .takings) == 0)
    }

    @Test func `a copy that landed while the lease was asked for is taken`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        process.shared.delay(.takings, until: gate)
        async let fetching = process.fetch()
        await process.shared.begun(.takings, atLeast: 1)
        process.shared.hold("[2]", for: town.key)
        gate.open()

        let outcome = try await fetching
        await process.shared.finished(.releases, atLeast: 1)

        #expect(outcome.text == "[2]")
        #expect(outcome.attempts.last?.reason == "another process had just loaded it")
        #expect(town.server.holder(of: town.key) == nil)
        #expect(town.network.readCount == 0)
    }

    @Test func `a holder whose lease ran out does not replace what the next one stored`() async throws {
        let town = Town("tiers: [memory, shared, { source: network, timeout: 60s }]", sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate))
        async let fetching = process.fetch()
        await town.network.reads(atLeast: 1)

        town.time.advance(by: .seconds(6))
        process.shared.hold("[\"new\"]", for: town.key)
        gate.open()
        let outcome = try await fetching

        #expect(outcome.text == "[\"old\"]")
        #expect(outcome.writes.map(\.description) == ["memory: written", "shared: skipped (a newer value took its place)"])
        #expect(town.sharedText == "[\"new\"]")
    }

    @Test func `the stage can be composed by hand`() async throws {
        let town = Town(sharedFlight: lease)
        let shared = StubSource("shared", clock: town.time.clock, sharing: town.server, sharedFlight: lease)
        let tier = Tier("shared", shared, clock: town.time.clock)
        let network = Tier("network", town.network, clock: town.time.clock)
        let loader = tier.loader().fallback(to: network.loader().storing(in: [tier]).sharingFlight(in: tier))

        let reply = try await loader(Call(town.key))
        try await reply.writes?.settle()
        await shared.finished(.releases, atLeast: 1)

        #expect(reply.attempts.map(\.description) == ["shared: miss", "network: hit"])
        #expect(town.sharedText == "[\"v1\"]")
    }
}
