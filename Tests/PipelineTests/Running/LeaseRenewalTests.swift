import PipelineTesting
import Testing

@testable import Pipeline

/// Loads that take longer than a lease lasts.
@Suite struct LeaseRenewalTests {
    private let lease = SharedFlight(lease: .seconds(3))
    private let order = "tiers: [memory, shared, { source: network, timeout: 60s }]"

    @Test func `a load that takes longer than the lease is made once, whatever the time`() async throws {
        let town = Town(order, sharedFlight: lease)
        town.network.answers(StubAnswer.value("[1]").after(.seconds(20)))
        let processes = try (0..<5).map { _ in try town.process() }
        let fetches = processes.map { process in Task { try await process.fetch() } }

        let outcomes = try await town.outcomes(of: fetches)

        #expect(town.network.readCount == 1)
        #expect(outcomes.filter { $0.source == "shared" }.count == 4)
        #expect(outcomes.allSatisfy { $0.text == "[1]" })
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `the lease is renewed at each third of its time, and not after the load`() async throws {
        let town = Town(order, sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        town.network.answers(StubAnswer.value("[1]").after(gate))
        let fetch = Task { try await process.fetch() }
        await town.network.reads(atLeast: 1)

        for turn in 1...9 {
            town.time.advance(by: .seconds(1))
            await process.shared.finished(.takings, atLeast: 1 + turn)
            await town.waiting(2)
        }
        gate.open()
        _ = try await fetch.value
        await process.shared.finished(.releases, atLeast: 1)
        town.time.advance(by: .seconds(10))
        for _ in 0..<1_000 { await Task.yield() }

        #expect(process.shared.count(of: .takings) == 10)
        #expect(town.time.sleeperCount == 0)
    }

    @Test func `when the lease cannot be renewed, one other process takes over, and the late answer replaces nothing`() async throws {
        let town = Town(order, sharedFlight: lease)
        let (holder, other) = (try town.process(), try town.process())
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        let first = Task { try await holder.fetch() }
        await town.network.reads(atLeast: 1)
        holder.shared.fail(.takings)
        let second = Task { try await other.fetch() }

        let outcome = try await town.outcomes(of: [second])[0]
        gate.open()
        let late = try await first.value

        #expect(outcome.text == "[\"new\"]")
        #expect(late.text == "[\"old\"]")
        #expect(late.writes.map(\.description).last == "shared: skipped (a newer value took its place)")
        #expect(town.sharedText == "[\"new\"]")
        #expect(town.network.readCount == 2)
    }

    @Test func `a lease that ran out once counts as lost, also when it could be renewed after that`() async throws {
        let town = Town(order, sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate))
        let fetch = Task { try await process.fetch() }
        await town.network.reads(atLeast: 1)

        // As when the process was stopped: another one took the lease meanwhile, stored its value, and gave it back.
        town.time.advance(by: .seconds(4))
        await process.shared.finished(.takings, atLeast: 2)
        process.shared.hold("[\"new\"]", for: town.key)
        gate.open()
        let outcome = try await fetch.value

        #expect(outcome.writes.map(\.description).last == "shared: skipped (a newer value took its place)")
        #expect(town.sharedText == "[\"new\"]")
    }

    @Test func `a renewal that is under way when the lease is given back leaves none behind`() async throws {
        let town = Town(order, sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        let renewing = Gate()
        town.network.answers(StubAnswer.value("[1]").after(gate))
        let fetch = Task { try await process.fetch() }
        await town.network.reads(atLeast: 1)
        process.shared.delay(.takings, until: renewing)
        town.time.advance(by: .seconds(1))
        await process.shared.begun(.takings, atLeast: 2)

        gate.open()
        _ = try await fetch.value
        for _ in 0..<1_000 { await Task.yield() }
        #expect(process.shared.count(of: .releases) == 0)
        renewing.open()
        await process.shared.finished(.releases, atLeast: 1)

        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `those who wait for a copy that is written after a quiet time load when the lease ends`() async throws {
        let town = Town("tiers: [memory, { source: shared, debounce: 1h }, network]", sharedFlight: lease)
        let (holder, other) = (try town.process(), try town.process())
        _ = try await holder.friends.fetch(town.key)
        let begin = town.time.now
        let fetch = Task { try await other.friends.fetch(town.key) }

        let outcome = try await town.outcomes(of: [fetch])[0]

        #expect(outcome.source == "network")
        #expect(town.time.now.duration(since: begin) < .seconds(5))
    }
}
