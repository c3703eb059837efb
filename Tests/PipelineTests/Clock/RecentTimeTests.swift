import PipelineComposing
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

/// The clocks of a machine that a test moves.
private final class Machine: Sendable {
    struct Times {
        /// The monotonic clock.
        var running: Int64 = 1_000_000_000
        var suspended: Int64 = 0
        /// How far the wall clock is ahead of the elapsed time.
        var wall: Int64 = 7_000_000_000
        var tick: Int64 = 1_000_000_000
        /// Happens after each reading of the exact clock.
        var pause: Int64 = 0
        /// Whether a tick comes after each reading of the last one.
        var isTorn = false
        var exactReadings = 0
    }

    let times = Mutex(Times())

    func read(_ clock: LastTick.Clock) -> Int64 {
        times.withLock { times in
            switch clock {
            case .tick:
                defer { if times.isTorn { times.tick += 4_000_000 } }
                return times.tick
            case .wallTick: return times.tick + times.suspended + times.wall
            case .monotonic:
                times.exactReadings += 1
                defer { times.running += times.pause }
                return times.running
            case .elapsed: return times.running + times.suspended
            }
        }
    }

    func change(_ change: (inout Times) -> Void) { times.withLock { change(&$0) } }

    func advance(_ nanoseconds: Int64) {
        change { times in
            times.running += nanoseconds
            times.tick = times.running
        }
    }
}

@Suite struct LastTickTests {
    private let machine = Machine()
    private let last: LastTick

    init() { last = LastTick(reading: machine.read) }

    private var elapsed: Int64 { last.elapsedTime(at: machine.read(.tick), wall: machine.read(.wallTick)) }
    private var readings: Int { machine.times.withLock(\.exactReadings) }

    @Test func `between two ticks nothing exact is read, and the time is that of the last one`() {
        #expect(elapsed == 1_000_000_000 && readings == 2)
        machine.advance(500_000_000)
        machine.change { $0.running += 3_000_000 }
        for _ in 0..<10 { #expect(elapsed == 1_500_000_000) }
        #expect(readings == 2)
    }

    @Test(arguments: [3_600_000_000_000, 1])
    func `time spent suspended counts, also after it`(nanoseconds: Int64) {
        _ = elapsed
        machine.change { $0.suspended += nanoseconds }
        #expect(elapsed == 1_000_000_000 + nanoseconds && readings == 4)
        machine.advance(8_000_000)
        #expect(elapsed == 1_008_000_000 + nanoseconds && readings == 4)
    }

    @Test(arguments: [Int64(-3_600_000_000_000), 1, 60_000_000_000])
    func `a step of the wall clock changes nothing`(nanoseconds: Int64) {
        _ = elapsed
        machine.change { $0.wall += nanoseconds }
        for _ in 0..<3 { #expect(elapsed == 1_000_000_000) }
        #expect(readings == 4)
    }

    @Test func `what is measured while a tick comes, or the thread waits, is right and not kept`() {
        machine.change { $0.isTorn = true }
        #expect(elapsed == 1_000_000_000)
        machine.change { ($0.isTorn, $0.pause) = (false, 2_000_000) }
        let exact = elapsed
        #expect(exact == 1_002_000_000 && readings == 4)
        machine.change { $0.pause = 0 }
        machine.advance(0)
        _ = elapsed
        #expect(readings == 6)
        _ = elapsed
        #expect(readings == 6)
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
            wall: manual.wall, monotonicNanoseconds: { manual.monotonic().saturatedNanoseconds },
            sleep: { try await manual.sleep(for: $0) },
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
        #expect(try await age(alone) == .zero)
        #expect(origin.count == 2)
        await pipelines.shutDown(within: .zero)
    }
}
