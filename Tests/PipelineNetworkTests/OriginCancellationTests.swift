import Pipeline
@testable import PipelineNetwork
import PipelineTesting
import TestSupport
import Testing

/// Whatever waits can be cancelled at any point, and leaves nothing behind.
@Suite
struct OriginCancellationTests {
    private let time = ManualClock()
    private let id = OriginID(scheme: "https", host: "api.example.org", port: 443)

    @Test
    func `NC-03 cancelled while queued, 10,000 rounds leave no permit and no place in the queue`() async throws {
        let origin = origin(OriginLimits(concurrency: .fixed(1)))

        for round in 0..<10_000 {
            let first = try await origin.begin(RequestDemand())
            let second = Task { try await origin.begin(RequestDemand()) }
            // Cancelled before it waits, while it waits, and at the moment at which it begins.
            for _ in 0..<(round % 4) { await Task.yield() }
            if round.isMultiple(of: 2) { first.end(.answered) }
            second.cancel()
            first.end(.answered)
            if case .success(let permit) = await second.result { permit.end(.cancelled) }
        }

        #expect(origin.leftovers == 0)
    }

    @Test
    func `NC-03 cancelled while paced, 10,000 rounds take no token and leave no alarm`() async throws {
        let origin = origin(OriginLimits(concurrency: .fixed(10), rate: 1))
        try await origin.begin(RequestDemand()).end(.answered)

        for round in 0..<10_000 {
            let paced = Task { try await origin.begin(RequestDemand()) }
            for _ in 0..<(round % 4) { await Task.yield() }
            paced.cancel()
            await #expect(throws: CancellationError.self) { try await paced.value }
        }

        #expect(origin.leftovers == 0)
        #expect(time.sleeperCount == 0)
        // The token of the first second is still there for the next one.
        time.advance(by: .seconds(1))
        try await origin.begin(RequestDemand()).end(.answered)
    }

    @Test
    func `NC-03 what waits when the origin begins to rest is refused, 10,000 rounds leave nothing`() async throws {
        let origin = origin(OriginLimits(concurrency: .fixed(1)))

        for round in 0..<10_000 {
            let first = try await origin.begin(RequestDemand())
            let second = Task { try await origin.begin(RequestDemand()) }
            for _ in 0..<(round % 4) { await Task.yield() }
            first.head(status: 429, retryAfter: .seconds(1))
            if round.isMultiple(of: 3) { second.cancel() }
            first.end(.answered)
            if case .success(let permit) = await second.result { permit.end(.cancelled) }
            time.advance(by: .seconds(1))
            // The rest ends with one good answer.
            let probe = try await origin.begin(RequestDemand())
            probe.head(status: 200)
            probe.end(.answered)
        }

        #expect(origin.leftovers == 0)
        #expect(time.sleeperCount == 0)
    }

    @Test
    func `NC-06 a queued load that becomes more important begins before others`() async throws {
        let origin = origin(OriginLimits(concurrency: .fixed(1)))
        let first = try await origin.begin(RequestDemand())
        let load = LoadPriority(.background)
        let normal = Task { try await origin.begin(RequestDemand()) }
        let raised = Task { try await origin.begin(RequestDemand(load: load)) }
        try await yieldUntil { origin.snapshot.waiting >= 2 }

        load.set(.high)
        let permit = try await raised.value
        #expect(origin.snapshot.waiting == 1)

        first.end(.answered)
        permit.end(.answered)
        try await normal.value.end(.answered)
        #expect(origin.leftovers == 0)
    }

    @Test
    func `a permit that is dropped, with or without a head, is given back`() async throws {
        let origin = origin(OriginLimits(concurrency: .fixed(1)))

        for round in 0..<1_000 {
            let permit = try await origin.begin(RequestDemand())
            if round.isMultiple(of: 2) { permit.head(status: 200) }
            permit.received(10)
        }

        #expect(origin.leftovers == 0)
    }

    private func origin(_ limits: OriginLimits) -> Origin {
        let origin = Origin(id, clock: time.clock, seed: 1) { _, _ in }
        _ = origin.add(limits)
        return origin
    }
}
