import PipelineComposing
import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

/// A composite of parts that memory has at hand.
@Suite struct PartsAtHandTests {
    private struct Screen {
        let time = ManualClock()
        let events = EventRecorder()
        let b: StubOrigin
        let home: DataPipeline
        let pipelines: Pipelines

        init(_ policy: TierPolicy = TierPolicy()) throws {
            b = StubOrigin("b", clock: time.clock, answering: "2")
            func memory(of name: String) -> TierSpec {
                TierSpec(SourceSpec("memory_of_\(name)", MemorySource(), capabilities: [.keepsMetadata]), ttl: .seconds(60))
            }
            let specs = [
                PipelineSpec("a", tiers: [memory(of: "a"), TierSpec(SourceSpec("a", StubOrigin("a", clock: time.clock, answering: "1")))]),
                PipelineSpec("b", tiers: [memory(of: "b"), TierSpec(SourceSpec("b", b))]),
                PipelineSpec(
                    "home", combine: CompositeSpec(.object([("a", "a"), ("b", "b")])), tiers: [.combine(policy)]),
            ]
            pipelines = try Pipelines(specs, clock: time.clock, observers: [events.observer])
            home = try pipelines.pipeline(named: "home")
        }

        func fetch(_ name: String) async throws { _ = try await pipelines.pipeline(named: name).fetch() }
    }

    @Test func `each part is asked once, and the trace is that of a load`() async throws {
        let screen = try Screen()
        for name in ["a", "b"] { try await screen.fetch(name) }
        screen.events.reset()

        let outcome = try await screen.home.fetch()

        #expect(outcome.text == #"{"a":1,"b":2}"# && outcome.trace == "combine: hit")
        #expect(outcome.parts.map { $0.outcome?.trace } == ["memory_of_a: hit", "memory_of_b: hit"])
        #expect(
            screen.events.lines.filter { $0.contains("fetched") } == [
                "a fetched value from memory_of_a", "b fetched value from memory_of_b", "home fetched value from combine",
            ])
        #expect(screen.home.flights.allSatisfy { $0.count == 0 })
    }

    @Test func `where a part is missing, the load goes on with what was at hand`() async throws {
        let screen = try Screen()
        try await screen.fetch("a")
        screen.events.reset()

        let outcome = try await screen.home.fetch()

        #expect(outcome.text == #"{"a":1,"b":2}"#)
        #expect(screen.events.lines.filter { $0.hasPrefix("a ") && $0.contains("fetched") }.count == 1)
        #expect(screen.b.readCount == 1)
    }

    @Test func `a load that begins anew has the time of the tier again`() async throws {
        var policy = TierPolicy()
        policy.timeout = .seconds(10)
        let screen = try Screen(policy)
        try await screen.fetch("a")
        let gate = Gate()
        screen.b.delay(.reads, until: gate)
        async let hasty = screen.home.fetch(timeout: .seconds(8))
        await screen.b.reads(atLeast: 1)
        async let patient = screen.home.fetch()
        try await yieldUntil { screen.home.flights[0].waiterCount(of: try screen.home.key()) >= 2 }
        screen.time.advance(by: .seconds(8))
        #expect(try await hasty.answer == nil)
        await screen.b.reads(atLeast: 2)
        screen.time.advance(by: .seconds(5))
        gate.open()

        #expect(try await patient.text == #"{"a":1,"b":2}"#)
    }
}
