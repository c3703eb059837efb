import PipelineTesting
import SourcesMemory
import Synchronization
import Testing

@testable import Pipeline

/// An origin that counts its reads.
private final class CountedOrigin: Source {
    private let clock: PipelineClock
    private let reads = Mutex(0)

    init(_ clock: PipelineClock) { self.clock = clock }

    var count: Int { reads.withLock { $0 } }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        reads.withLock { $0 += 1 }
        return Entry(Array("1".utf8), created: clock.now)
    }
}

@Suite struct RecentTimeTests {
    @Test func `the machine's last tick is never ahead of the present, and less than a second behind it`() {
        let clock = PipelineClock.system
        for _ in 0..<10_000 {
            let before = clock.now
            let recent = clock.recent
            #expect(recent <= clock.now && before.duration(since: recent) < .nanoseconds(PipelineClock.tick))
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(4), .milliseconds(999)])
    func `a copy expires to the nanosecond, however far the last tick lies back`(lag: Duration) async throws {
        let time = ManualClock()
        let manual = time.clock
        let clock = PipelineClock(
            wall: manual.wall, monotonicNanoseconds: { manual.monotonic().saturatedNanoseconds }, sleep: { try await manual.sleep(for: $0) },
            reading: { start in { start + manual.monotonic().saturatedNanoseconds } },
            estimating: { start in { start + (manual.monotonic() - lag).saturatedNanoseconds } })
        let origin = CountedOrigin(clock)
        let part = PipelineSpec(
            "part",
            tiers: [TierSpec(SourceSpec("memory", MemorySource()), ttl: .seconds(10)), TierSpec(SourceSpec("api", origin))])
        let whole = PipelineSpec("whole", combine: CompositeSpec(.object([("part", "part")])))
        let pipelines = try Pipelines([part, whole], clock: clock)
        let (alone, combined) = (try pipelines.pipeline(named: "part"), try pipelines.pipeline(named: "whole"))
        func age(_ pipeline: DataPipeline) async throws -> Duration? { try await pipeline.fetch().age }

        _ = try await alone.fetch()
        for step in [Duration.zero, .seconds(5), .milliseconds(4_999), .nanoseconds(999_999)] {
            time.advance(by: step)
            for pipeline in [alone, combined] { #expect(try await age(pipeline) ?? .zero >= .zero) }
            #expect(origin.count == 1)
        }
        time.advance(by: .nanoseconds(1))
        #expect(try await combined.fetch().text == #"{"part":1}"#)
        #expect(origin.count == 2)
        #expect(try await alone.fetch().isAtHand && origin.count == 2)
        await pipelines.shutDown(within: .zero)
    }
}
