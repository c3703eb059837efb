import PipelineTesting
import SourcesMemory
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite struct PriorityTests {
    /// A pipeline over memory and a watched origin.
    private struct House {
        let time = ManualClock()
        let memory = MemorySource()
        let origin = WatchedOrigin()
        let pipeline: DataPipeline
        let key = Key(pipeline: "friends")

        init(_ policy: PipelinePolicy = PipelinePolicy(), _ tier: TierPolicy = TierPolicy()) throws {
            pipeline = try DataPipeline(
                PipelineSpec(
                    "friends", policy: policy,
                    tiers: [TierSpec(SourceSpec("memory", memory), ttl: .seconds(10)), TierSpec(SourceSpec("api", origin), tier)]),
                clock: time.clock)
        }

        /// Returns when so many fetches wait.
        func waiters(_ count: Int) async throws {
            try await yieldUntil { pipeline.flights[0].waiterCount(of: key) == count }
        }
    }

    @Test(arguments: Priority.allCases) func `the origin sees the priority while it reads`(_ priority: Priority) async throws {
        let house = try House()

        async let fetched = house.pipeline.fetch(house.key, priority: priority)
        try await house.origin.waits(with: priority)
        house.origin.gate.open()

        #expect(try await fetched.source == "api")
    }

    @Test func `a fetch that says nothing has the priority of its pipeline`() async throws {
        var policy = PipelinePolicy()
        policy.priority = .low
        let house = try House(policy)

        async let fetched = house.pipeline.fetch(house.key)
        try await house.origin.waits(with: .low)
        house.origin.gate.open()

        _ = try await fetched
    }

    @Test func `NC-06 who joins with more raises a load, and who leaves takes that back`() async throws {
        let house = try House()
        let low = Task { try await house.pipeline.fetch(house.key, priority: .low) }
        try await house.origin.waits(with: .low)

        let high = Task { try await house.pipeline.fetch(house.key, priority: .high) }
        try await house.origin.waits(with: .high)
        let normal = Task { try await house.pipeline.fetch(house.key, priority: .normal) }
        try await house.waiters(3)
        #expect(house.origin.contexts.last?.priority == .high)
        high.cancel()
        try await house.origin.waits(with: .normal)
        normal.cancel()
        try await house.origin.waits(with: .low)

        house.origin.gate.open()
        #expect(try await low.value.source == "api")
        #expect(house.origin.contexts.count == 1)
        #expect(house.origin.told == [.high, .normal, .low])
    }

    @Test func `a waiter whose time is over takes its priority with it`() async throws {
        let house = try House()
        async let low = house.pipeline.fetch(house.key, priority: .low)
        try await house.origin.waits(with: .low)

        async let high = house.pipeline.fetch(house.key, priority: .high, timeout: .seconds(1))
        try await house.origin.waits(with: .high)
        house.time.advance(by: .seconds(2))
        try await house.origin.waits(with: .low)

        #expect(try await high.failureKind == .deadlineExceeded)
        house.origin.gate.open()
        _ = try await low
    }

    @Test func `NC-06 a refresh in the background is raised by a fetch that waits for it, and falls back when that leaves`() async throws {
        var policy = PipelinePolicy()
        policy.staleWhileRevalidate = .seconds(5)
        let origin = WatchedOrigin()
        let time = ManualClock()
        let memory = MemorySource()
        let friends = try DataPipeline(
            PipelineSpec(
                "friends", policy: policy,
                tiers: [TierSpec(SourceSpec("memory", memory), ttl: .seconds(10)), TierSpec(SourceSpec("api", origin))]),
            clock: time.clock)
        let key = Key(pipeline: "friends")
        try await memory.write(Entry(Array("[0]".utf8), created: time.clock.now, stored: time.clock.now), for: key)
        time.advance(by: .seconds(12))

        #expect(try await friends.fetch(key).isStale)
        try await origin.waits(with: .background)
        let waiting = Task { try await friends.fetch(key, policy: .refresh, priority: .high) }
        try await origin.waits(with: .high)
        waiting.cancel()
        try await origin.waits(with: .background)

        origin.gate.open()
        await friends.finishRefreshes()
        #expect(origin.contexts.count == 1)
        #expect(origin.told == [.high, .background])
    }

    @Test func `a load that goes on after its soft timeout is waited for by no caller`() async throws {
        var policy = PipelinePolicy()
        policy.staleIfError = .seconds(60)
        var tier = TierPolicy()
        tier.softTimeout = .seconds(1)
        let house = try House(policy, tier)
        let stored = house.time.clock.now
        try await house.memory.write(Entry(Array("[0]".utf8), created: stored, stored: stored), for: house.key)
        house.time.advance(by: .seconds(12))

        async let fetched = house.pipeline.fetch(house.key, priority: .high)
        try await house.origin.waits(with: .high)
        house.time.advance(by: .seconds(1))
        #expect(try await fetched.isStale)

        try await house.origin.waits(with: .background)
        house.origin.gate.open()
        await house.pipeline.finishRefreshes()
    }

    @Test func `caches get no priority that changes`() async throws {
        let time = ManualClock()
        let disk = ContextCache()
        let origin = WatchedOrigin()
        origin.gate.open()
        let friends = try DataPipeline(
            PipelineSpec("friends", tiers: [TierSpec(SourceSpec("disk", disk)), TierSpec(SourceSpec("api", origin))]), clock: time.clock)

        _ = try await friends.fetch(priority: .high)

        #expect(disk.contexts.withLock { $0.allSatisfy { $0.load == nil && $0.report == nil } && !$0.isEmpty })
        #expect(origin.contexts.allSatisfy { $0.load != nil })
    }

    @Test func `observers are told of changes in order, also of one that happens while they are told`() {
        let load = LoadPriority(.low)
        let told = Mutex<[Priority]>([])
        let number = load.observe { priority in
            told.withLock { $0.append(priority) }
            if priority == .high { load.set(.normal) }
        }

        load.set(.high)
        load.set(.normal)
        load.stopObserving(number)
        load.set(.low)

        #expect(told.withLock { $0 } == [.high, .normal])
        #expect(load.current == .low)
    }
}

/// A cache that keeps nothing but what its reads were told.
private final class ContextCache: WritableSource {
    let contexts = Mutex<[ReadContext]>([])

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        contexts.withLock { $0.append(context) }
        return nil
    }

    func write(_ entry: Entry, for key: Key) async throws {}
    func remove(_ key: Key) async throws {}
    func clear(pipeline: String) async throws {}
}

extension Outcome {
    fileprivate var failureKind: LoadError.Kind? {
        if case .failed(let error) = result { error.kind } else { nil }
    }
}
