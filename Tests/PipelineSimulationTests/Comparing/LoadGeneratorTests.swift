import Pipeline
import PipelineTesting
import Testing

@testable import PipelineSimulation

@Suite struct LoadGeneratorTests {
    private static func spec(_ origin: TimedOrigin, ttl: Duration? = nil) -> PipelineSpec {
        let memory = SourceSpec("memory", StubSource(clock: origin.clock), capabilities: [.keepsMetadata])
        let tiers = ttl.map { [TierSpec(memory, ttl: $0)] } ?? []
        return PipelineSpec("friends", parameters: ["user"], tiers: tiers + [TierSpec(SourceSpec("api", origin))])
    }

    private static func keys(_ count: Int) -> [Key] {
        (0..<count).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }
    }

    /// A run over an origin with these latencies, each request for a key of its own.
    private static func run(
        _ shape: LoadShape, duration: Duration, limit: Int = .max, latency: @escaping @Sendable (Duration) -> Duration
    ) async throws -> ComparedRun {
        let result = await inVirtualTime { clock -> Result<ComparedRun, any Error> in
            await Result {
                let subject = try Comparison.Subject(
                    Self.spec(TimedOrigin(clock: clock, latency: latency)), within: OriginCalls(limit: limit), clock: clock,
                    random: .seeded(1), redactor: Redactor())
                let plan = RequestPlan(cycling: Self.keys(10_000), count: 10_000, rate: 100)
                let generator = LoadGenerator(shape, duration: duration, clock: clock, precision: .zero)
                return try await generator.run(plan.requests(0, false), of: plan.keys, on: subject.pipeline, subject.calls)
            }
        }
        return try #require(result).get()
    }

    @Test func `what there is not counts as not found, and for no source`() async throws {
        let result = await inVirtualTime { clock -> Result<ComparedRun, any Error> in
            await Result {
                let origin = StubOrigin(clock: clock, answering: .notFound)
                let subject = try Comparison.Subject(
                    PipelineSpec("friends", parameters: ["user"], tiers: [TierSpec(SourceSpec("api", origin))]), within: OriginCalls(),
                    clock: clock, random: .seeded(1), redactor: Redactor())
                let plan = RequestPlan(cycling: Self.keys(100), count: 100, rate: 100)
                let generator = LoadGenerator(.open(rate: 100), duration: .seconds(1), clock: clock, precision: .zero)
                return try await generator.run(plan.requests(0, false), of: plan.keys, on: subject.pipeline, subject.calls)
            }
        }
        let run = try #require(result).get()

        #expect(run.requests == 100 && run.notFound == 100)
        #expect(run.answered.isEmpty && run.joined == 0 && run.failed == 0)
    }

    /// The origin stalls from 10 s to 12 s: what is asked then is answered at 12 s.
    private static let stalling: @Sendable (Duration) -> Duration = { time in
        (.seconds(10)..<(.seconds(12))).contains(time) ? .seconds(12) - time : .milliseconds(5)
    }

    @Test func `an origin that stalls for 2 s at 100/s shows in the p99: latencies count from the planned start`() async throws {
        let run = try await Self.run(.open(rate: 100), duration: .seconds(30), latency: Self.stalling)
        let sample = run.latencies

        #expect(run.requests == 3_000 && run.late == 0 && run.originCalls == ["api": 3_000])
        #expect(sample.quantile(0.5) == .milliseconds(5))
        #expect(try #require(sample.quantile(0.99)) >= .milliseconds(1_600))
        #expect(sample.quantile(1) == .seconds(2))
    }

    @Test func `an origin that stalls for 2 s in 20 at 100/s has a p99 of at least 1.9 s`() async throws {
        let run = try await Self.run(.open(rate: 100), duration: .seconds(20)) { time in
            (.seconds(10)..<(.seconds(12))).contains(time) ? .seconds(2) : .milliseconds(5)
        }

        #expect(try #require(run.latencies.quantile(0.99)) >= .milliseconds(1_900))
    }

    @Test func `closed clients wait with the origin, and see its stall once each`() async throws {
        let run = try await Self.run(.closed(clients: 4), duration: .seconds(20), latency: Self.stalling)
        let sample = run.latencies

        #expect(sample.quantile(0.99) == .milliseconds(5))
        #expect(sample.buckets.values.reduce(0) { $0 + ($1.mean > 1_900_000_000 ? $1.count : 0) } == 4)
        #expect(run.requests > 14_000)
    }

    @Test func `OC-05: at the bound of calls a run stops, and no call is one too many`() async throws {
        let calls = OriginCalls(limit: 25)
        let result = await inVirtualTime { clock -> Result<ComparedRun, any Error> in
            await Result {
                let subject = try Comparison.Subject(
                    Self.spec(TimedOrigin(clock: clock) { _ in .milliseconds(5) }), within: calls, clock: clock, random: .seeded(1),
                    redactor: Redactor())
                let plan = RequestPlan(cycling: Self.keys(100), count: 100, rate: 100)
                let generator = LoadGenerator(.open(rate: 100), duration: .seconds(1), clock: clock, precision: .zero)
                return try await generator.run(plan.requests(0, false), of: plan.keys, on: subject.pipeline, subject.calls)
            }
        }

        #expect(throws: OriginLimitReached.self) { try #require(result).get() }
        #expect(calls.total == 25 && calls.isExhausted)
    }

    @Test func `the warm-up ends when three windows have the same share of hits`() async throws {
        let warm = await inVirtualTime { clock -> WarmUp? in
            guard
                let subject = try? Comparison.Subject(
                    Self.spec(TimedOrigin(clock: clock) { _ in .milliseconds(5) }, ttl: .seconds(3600)), within: OriginCalls(),
                    clock: clock,
                    random: .seeded(1), redactor: Redactor())
            else { return nil }
            // Ten keys: after the first window all of them are there.
            let plan = RequestPlan(cycling: Self.keys(10), count: 1_000, rate: 100)
            let generator = LoadGenerator(.open(rate: 100), duration: .seconds(10), clock: clock, precision: .zero)
            return try? await generator.warmUp(plan.requests(0, true), of: plan.keys, on: subject.pipeline, subject.calls)
        }

        // One window of misses and hits, and three of hits: it ends as the fifth begins.
        let found = try #require(warm as? WarmUp)
        #expect(found.isSteady && found.duration == .seconds(4))
    }

    @Test(arguments: [
        ([], false), ([0.5, 0.5], false), ([0.1, 0.5, 0.505, 0.51], true), ([0.5, 0.505, 0.512], false), ([0, 0, 0], true),
    ])
    func `three windows agree within a point`(shares: [Double], isSteady: Bool) {
        #expect(WarmUp.isSteady(shares) == isSteady)
    }
}
