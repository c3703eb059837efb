import PipelineTesting
import Testing

@testable import Pipeline

/// Loads after which the cache that processes share has nothing for those who wait.
@Suite struct FruitlessLeaseTests {
    private let lease = SharedFlight(lease: .seconds(300))

    /// Why nothing comes of a load.
    enum Cause: CaseIterable {
        case originFails, originHasNone, keepsNothing, cannotBeWritten, dropsIt

        var pipeline: String {
            self == .keepsNothing ? "tiers: [memory, { source: shared, ttl: 0s }, network]" : "tiers: [memory, shared, network]"
        }

        var answer: StubAnswer {
            switch self {
            case .originFails: .error()
            case .originHasNone: .notFound
            case .keepsNothing, .cannotBeWritten, .dropsIt: "[1]"
            }
        }

        func prepare(_ shared: StubSource) {
            if self == .cannotBeWritten { shared.fail(.writes) }
            // As a cache that has no room.
            if self == .dropsIt { shared.answers(.miss) }
        }
    }

    private func isFruitless(_ outcome: Outcome) -> Bool {
        outcome.attempts.contains { $0.reason?.hasSuffix(" for another process, which stored nothing") == true }
    }

    @Test(arguments: Cause.allCases) func `those who wait for a load that is in vain load at once, not one after the other`(
        cause: Cause
    ) async throws {
        let town = Town(cause.pipeline, sharedFlight: lease)
        town.network.answers(cause.answer.after(.seconds(20)))
        let processes = try (0..<8).map { _ in try town.process() }
        for process in processes { cause.prepare(process.shared) }
        let begin = town.time.now
        let fetches = processes.map { process in Task { try await process.fetch() } }

        let outcomes = try await town.outcomes(of: fetches, by: .milliseconds(10))
        for process in processes { await process.pipelines.flush() }

        // One, and then the one that comes first to the lease, and beside it all others.
        #expect(town.network.readCount == 8)
        #expect(town.network.peakCount(of: .reads) == 7)
        #expect(outcomes.filter(isFruitless).count == 6)
        #expect(town.time.now.duration(since: begin) < .seconds(60))
        #expect(town.server.holder(of: town.key) == nil)
    }

    @Test func `who comes later waits for the next load, whatever was in vain before`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        _ = try await process.shared.takeLease(of: town.key, for: "the one before", lasting: .seconds(300))
        try await process.shared.releaseLease(of: town.key, by: "the one before", fruitlessFor: .seconds(600))
        _ = try await process.shared.takeLease(of: town.key, for: "another", lasting: .seconds(300))
        let fetch = Task { try await process.fetch() }
        await process.shared.finished(.fruitlessQuestions, atLeast: 1)
        _ = await town.passing { await process.shared.finished(.fruitlessQuestions, atLeast: 4) }

        process.shared.hold("[2]", for: town.key)
        let outcome = try await town.outcomes(of: [fetch])[0]

        #expect(outcome.text == "[2]")
        #expect(town.network.readCount == 0)
    }

    @Test func `a refresh that failed keeps no other process's refresh waiting, though the old copy is fresh`() async throws {
        let town = Town(
            "tiers: [{ source: memory, ttl: 200s }, { source: shared, ttl: 200s }, network]\nrefresh_ahead: 0.5", sharedFlight: lease)
        let processes = try (0..<4).map { _ in try town.process() }
        for process in processes { try await process.fetch() }
        await processes[0].pipelines.flush()
        town.time.advance(by: .seconds(101))
        town.network.answers(StubAnswer.error().after(.seconds(20)))

        for process in processes { #expect(try await process.friends.fetch(town.key).text == "[\"v1\"]") }
        await town.passing(by: .milliseconds(10)) { for process in processes { await process.friends.finishRefreshes() } }

        #expect(town.network.readCount == 1 + 4)
        #expect(town.network.peakCount(of: .reads) == 3)
    }

    @Test func `a load that succeeds is not fruitless`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()

        try await process.fetch()
        await process.pipelines.flush()

        #expect(process.shared.calls.contains { if case .releaseLease = $0 { true } else { false } })
        #expect(try await process.shared.lastFruitlessHolder(of: town.key) == nil)
    }

    @Test func `nor is one whose key was removed meanwhile`() async throws {
        let town = Town("tiers: [memory, shared, network]", sharedFlight: lease)
        let process = try town.process()
        let gate = Gate()
        town.network.answers(StubAnswer.value("[1]").after(gate))
        async let fetching = process.fetch()
        await town.network.reads(atLeast: 1)

        _ = try await process.friends.remove(town.key)
        gate.open()
        _ = try await fetching
        await process.pipelines.flush()

        #expect(town.server.holder(of: town.key) == nil)
        #expect(try await process.shared.lastFruitlessHolder(of: town.key) == nil)
    }
}
