import Pipeline
import PipelineComposing
import PipelineTesting
import Testing

@testable import PipelineSimulation

@Suite struct ComparisonTests {
    private static func subject(_ latency: Duration, ttl: Duration? = nil, _ calls: OriginCalls, _ clock: PipelineClock) throws
        -> Comparison.Subject
    {
        let origin = TimedOrigin(clock: clock) { _ in latency }
        let memory = SourceSpec("memory", StubSource(clock: clock), capabilities: [.keepsMetadata])
        let tiers = ttl.map { [TierSpec(memory, ttl: $0)] } ?? []
        return try Comparison.Subject(
            PipelineSpec("friends", parameters: ["user"], tiers: tiers + [TierSpec(SourceSpec("api", origin))]), within: calls,
            clock: clock,
            random: .seeded(1), redactor: Redactor())
    }

    /// A comparison of `[memory, api]` with `[api]`, both with an origin of 10 ms.
    private static func blocks(limit: Int = .max, isCold: Bool = false) async throws -> (blocks: [[ComparedRun]], isLimited: Bool) {
        let log = BlockLog()
        let isLimited = await inVirtualTime { clock -> Bool? in
            let calls = OriginCalls(limit: limit)
            do {
                let cached = try subject(.milliseconds(10), ttl: .seconds(3600), calls, clock)
                let itself = try subject(.milliseconds(10), ttl: .seconds(3600), calls, clock)
                let plan = RequestPlan(
                    cycling: (0..<20).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }, count: 100, rate: 20)
                try await Comparison(
                    [cached, subject(.milliseconds(10), calls, clock)], itself: itself, plan: plan,
                    generator: LoadGenerator(.open(rate: 20), duration: .seconds(5), clock: clock, precision: .zero), runs: 6,
                    isCold: isCold,
                    seed: 1
                ).run(into: log)
                return false
            } catch is OriginLimitReached {
                return true
            } catch {
                return nil
            }
        }
        return (log.blocks, try #require(isLimited as? Bool))
    }

    @Test func `warm caches answer all, and the origin answers the variant without them`() async throws {
        let (blocks, _) = try await Self.blocks()

        #expect(blocks.count == 6)
        for runs in blocks {
            #expect(runs.map(\.requests) == [100, 100, 100])
            #expect(runs[0].answered == ["memory": 100] && runs[2].answered == ["memory": 100] && runs[1].answered == ["api": 100])
            #expect(runs[0].originCalls.isEmpty && runs[1].originCalls == ["api": 100])
            #expect(runs.allSatisfy { $0.warmUp?.isSteady == true })
        }
        let findings = ComparisonFindings([("memory,api", ["memory", "api"]), ("api", ["api"])], blocks: blocks, seed: 1)
        #expect(findings.variants[1].latencies.quantile(0.5) == .milliseconds(10))
    }

    @Test func `cold runs begin without copies and without a warm-up`() async throws {
        let (blocks, _) = try await Self.blocks(isCold: true)

        #expect(blocks.allSatisfy { $0[0].answered == ["memory": 80, "api": 20] && $0[0].warmUp == nil })
    }

    @Test func `OC-05: what was whole before the bound of calls stays`() async throws {
        let (blocks, isLimited) = try await Self.blocks(limit: 500)

        #expect(isLimited && 1...3 ~= blocks.count)
    }

    @Test func `a composite asks origins as often as its parts may`() {
        func origin(_ name: String, attempts: Int = 1) -> TierSpec {
            var policy = TierPolicy()
            policy.retry = RetryPolicy(attempts: attempts)
            return TierSpec(SourceSpec(name, StubOrigin(name, clock: .system, answering: .error())), policy)
        }
        let memory = TierSpec(SourceSpec("memory", StubSource(clock: .system), capabilities: [.keepsMetadata]), ttl: .seconds(1))
        let parts = [
            PipelineSpec("kept", tiers: [memory, origin("a", attempts: 3)]), PipelineSpec("plain", tiers: [origin("b"), origin("c")]),
        ]
        func demand(_ shape: CompositeSpec.Shape) -> OriginDemand {
            OriginDemand(of: "home", in: [PipelineSpec("home", combine: CompositeSpec(shape))] + parts)
        }

        let kept = demand(.of(PartSpec("kept")))
        let both = demand(.object([("one", PartSpec("kept")), ("two", PartSpec("plain"))]))
        let followed = demand(.of(PartSpec("kept", follow: ["author"])))

        #expect(!kept.begins && kept.most == 3)
        #expect(both.begins && both.most == 5)
        #expect(followed.most == 10_000)
    }

    /// Sends three requests for a value.
    private struct Redirected: Source {
        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
            for _ in 0..<2 { try context.further?() }
            return nil
        }
    }

    @Test func `each request to an origin counts, and what asks none is not bounded`() async throws {
        let key = Key(pipeline: "friends")
        let total = OriginCalls(limit: 4)
        let calls = OriginCalls(within: total)
        let api = calls.counting(SourceSpec("api", Redirected())).source
        let saved = calls.counting(SourceSpec("saved", Redirected()), isFree: true).source

        for _ in 0..<3 { _ = try await saved.read(key, ReadContext()) }
        _ = try await api.read(key, ReadContext())
        #expect(calls.bySource == ["api": 3, "saved": 9] && total.total == 3 && !calls.isExhausted)
        await #expect(throws: SourceError.self) { _ = try await api.read(key, ReadContext()) }

        #expect(total.total == 4 && calls.isExhausted)
    }

    @Test func `before the runs a variant that answers nothing is named`() async throws {
        let found = await inVirtualTime { clock -> Result<String, any Error> in
            await Result {
                let calls = OriginCalls()
                let failing = StubOrigin("the stub", clock: clock, answering: .error())
                let broken = try Comparison.Subject(
                    PipelineSpec("friends", tiers: [TierSpec(SourceSpec("api", failing))]), within: calls, clock: clock, random: .seeded(1),
                    redactor: Redactor())
                let plan = RequestPlan(cycling: [Key(pipeline: "friends")], count: 10, rate: 10)
                let comparison = Comparison(
                    [try Self.subject(.zero, calls, clock), broken], itself: try Self.subject(.zero, calls, clock), plan: plan,
                    generator: LoadGenerator(.open(rate: 10), duration: .seconds(1), clock: clock, precision: .zero), runs: 6, isCold: true,
                    seed: 1)
                return try await comparison.firstFailure().map { "\($0.variant): \($0.reason)" } ?? "none"
            }
        }

        let words = try #require(found).get()
        #expect(words.hasPrefix("1: ") && words.contains("the stub fails"), "\(words)")
    }
}
