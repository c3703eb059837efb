import PipelineComposing
import PipelineLive
import PipelineTesting
import SourcesMemory
import Synchronization
import Testing

@testable import Pipeline

/// Pipelines that take over from others while these run.
@Suite struct SuccessionTests {
    /// An origin that remembers how often it was closed, and answers when its gate opens.
    private final class Origin: Source {
        let gate: Gate?
        let asked = Gate()
        let closed = Gate()
        private let answer: String
        private let closings = Mutex(0)

        init(_ answer: String, after gate: Gate? = nil) {
            self.answer = answer
            self.gate = gate
        }

        var closeCount: Int { closings.withLock { $0 } }

        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
            asked.open()
            try await gate?.wait()
            if closeCount > 0 { throw SourceError("closed") }
            return Entry(Array(answer.utf8), created: Timestamp(nanoseconds: 1))
        }

        func close() async {
            closings.withLock { $0 += 1 }
            closed.open()
        }
    }

    private let time = ManualClock()
    private let memory = SourceSpec("memory", MemorySource())
    private let key = Key(pipeline: "friends", parameters: [:])

    private func text(_ outcome: Outcome) -> String? {
        if case .value(let entry) = outcome.result { entry.payload.map { String(decoding: $0, as: UTF8.self) } } else { nil }
    }

    private func friends(_ tiers: SourceSpec...) -> PipelineSpec {
        PipelineSpec("friends", tiers: tiers.map { TierSpec($0, ttl: .seconds(60)) })
    }

    @Test func `LV-48 a pipeline that stays is the same object, with its load under way and its copies`() async throws {
        let gate = Gate()
        let origin = Origin("[1]", after: gate)
        let api = SourceSpec("api", origin)
        let before = try Pipelines([friends(memory, api)], clock: time.clock)
        let pipeline = try before.pipeline(named: "friends")
        let waiter = Task { try await pipeline.fetch(key) }
        try await origin.asked.wait()

        let after = try before.succeeded(
            by: [friends(memory, api), PipelineSpec("others", tiers: [TierSpec(api)])], keeping: ["friends"])
        #expect(try after.pipeline(named: "friends") === pipeline)
        gate.open()

        #expect(text(try await waiter.value) == "[1]")
        #expect(text(try await after.pipeline(named: "others").fetch()) == "[1]")
        #expect(try await pipeline.fetch(key).source == "memory")
        #expect(origin.closeCount == 0)
        await after.shutDown()
        #expect(origin.closeCount == 1)
    }

    @Test func `copies in memory that another format let in are checked by the one that holds now`() async throws {
        func spec(_ format: PayloadFormat, _ api: SourceSpec) -> PipelineSpec {
            var spec = friends(memory, api)
            spec.policy.format = format
            return spec
        }
        let whole = PipelineSpec("whole", combine: CompositeSpec(.object([("friends", "friends")])))
        let writer = SourceSpec("writer", Origin(#"{"by":"\u1"}"#))
        let api = SourceSpec("api", Origin("[1]"))
        let before = try Pipelines([spec(.text, writer), whole], otherSources: [api], clock: time.clock)
        #expect(text(try await before.pipeline(named: "friends").fetch(key)) == #"{"by":"\u1"}"#)

        // Nothing is closed: both sources stay.
        let after = try before.succeeded(by: [spec(.json, api), whole], otherSources: [writer], keeping: [])

        #expect(text(try await after.pipeline(named: "whole").fetch()) == #"{"friends":[1]}"#)
        let kept = try await after.pipeline(named: "friends").fetch(key)
        #expect(text(kept) == "[1]" && kept.source == "memory")
        await after.shutDown()
    }

    @Test func `a source that is gone closes when the last fetch that uses it has ended`() async throws {
        let gate = Gate()
        let (old, new) = (Origin("[\"old\"]", after: gate), Origin("[\"new\"]"))
        var before: Pipelines? = try Pipelines([friends(memory, SourceSpec("api", old))], clock: time.clock)
        let waiter = Task { [pipeline = try before?.pipeline(named: "friends")] in try await pipeline?.fetch(key) }
        try await old.asked.wait()

        let after = try #require(try before?.succeeded(by: [friends(memory, SourceSpec("api", new))], keeping: []))
        before = nil
        let fetched = try await after.pipeline(named: "friends").fetch(key, policy: .refresh)
        #expect(text(fetched) == "[\"new\"]" && old.closeCount == 0)
        await time.sleepers(atLeast: 1)
        gate.open()
        #expect(text(try #require(try await waiter.value)) == "[\"old\"]", "it ends on the plan that it began with")
        while old.closeCount == 0 {
            time.advance(by: .milliseconds(50))
            await Task.yield()
        }

        await after.shutDown()
        #expect(old.closeCount == 1 && new.closeCount == 1)
    }

    @Test func `a source that is gone is closed after 30 s, whatever uses it`() async throws {
        let gate = Gate()
        let old = Origin("[\"old\"]", after: gate)
        let before = try Pipelines([friends(SourceSpec("api", old))], clock: time.clock)
        let pipeline = try before.pipeline(named: "friends")
        let waiter = Task { try await pipeline.fetch(key) }
        try await old.asked.wait()
        let after = try before.succeeded(by: [friends(SourceSpec("api", Origin("[2]")))], keeping: [])

        let start = time.clock.now
        while old.closeCount == 0, time.clock.now < start + .seconds(60) {
            // From then on nothing sleeps any more.
            if time.clock.now < start + .seconds(30) { await time.sleepers(atLeast: 1) }
            #expect(old.closeCount == 0 || time.clock.now >= start + .seconds(30))
            time.advance(by: .milliseconds(50))
            for _ in 0..<100 where old.closeCount == 0 { await Task.yield() }
        }
        try await old.closed.wait()

        #expect(old.closeCount == 1)
        waiter.cancel()
        gate.open()
        await after.shutDown()
    }

    @Test func `what waits to be written to a cache that is gone is written at once`() async throws {
        let disk = StubSource("disk", clock: time.clock)
        var tier = TierSpec(SourceSpec("disk", disk), ttl: .seconds(60))
        tier.policy.debounce = .seconds(3600)
        let api = SourceSpec("api", Origin("[1]"))
        var spec = friends(api)
        spec.tiers.insert(tier, at: 0)
        let before = try Pipelines([spec], clock: time.clock)
        _ = try await before.pipeline(named: "friends").fetch(key)
        #expect(disk.text(for: key) == nil)

        let after = try before.succeeded(by: [friends(api)], keeping: [])

        await disk.writes(atLeast: 1)
        await after.shutDown()
        #expect(disk.text(for: key) == "[1]")
    }

    @Test func `a removal by the pipeline that took over voids a load of the one before`() async throws {
        let gate = Gate()
        let origin = Origin("[\"old\"]", after: gate)
        let api = SourceSpec("api", origin)
        let before = try Pipelines([friends(memory, api)], clock: time.clock)
        let waiter = Task { [pipeline = try before.pipeline(named: "friends")] in try await pipeline.fetch(key) }
        try await origin.asked.wait()
        var spec = friends(memory, api)
        spec.policy.staleIfError = .seconds(1)
        let after = try before.succeeded(by: [spec], keeping: [])
        let pipeline = try after.pipeline(named: "friends")

        #expect(try await pipeline.remove(key).isComplete)
        gate.open()

        #expect(text(try await waiter.value) == "[\"old\"]")
        #expect(try await pipeline.fetch(key, policy: .cacheOnly).result.isMissing)
        await after.shutDown()
    }

    @Test func `a removal asks no cache that is gone, and the one that took its name`() async throws {
        let (old, new) = (StubSource("disk", clock: time.clock), StubSource("disk", clock: time.clock))
        let api = SourceSpec("api", Origin("[1]"))
        let before = try Pipelines([friends(memory, SourceSpec("disk", old), api)], clock: time.clock)
        _ = try await before.pipeline(named: "friends").fetch(key)
        let after = try before.succeeded(by: [friends(SourceSpec("disk", new), api)], keeping: [])
        new.hold("[2]", for: key)

        let report = try await after.pipeline(named: "friends").remove(key)

        #expect(report.lines.map(\.source) == ["disk"])
        #expect(new.contents.isEmpty && old.count(of: .removes) == 0)
        await after.shutDown()
    }

    @Test(.timeLimit(.minutes(15)))
    func `what is observed is fetched once from a pipeline that changed, and observers get what that gives`() async throws {
        let clock = time.clock
        let (old, new) = (StubOrigin("old", clock: clock, answering: .value("1")), StubOrigin("new", clock: clock, answering: .value("2")))
        let (x, y) = (StubOrigin("x", clock: clock, answering: .value("3")), StubOrigin("y", clock: clock, answering: .value("4")))
        let (same, kept) = (
            StubOrigin("same", clock: clock, answering: .value("5")), StubOrigin("kept", clock: clock, answering: .value("6"))
        )
        let origins = [("old", old), ("new", new), ("x", x), ("y", y), ("same", same), ("kept", kept)].map { SourceSpec($0, $1) }
        func specs(_ number: Int, _ parts: [(name: String, part: PartSpec)], policy: PipelinePolicy = .init()) -> [PipelineSpec] {
            [
                PipelineSpec("plain", tiers: [TierSpec(origins[number])]),
                PipelineSpec("x", tiers: [TierSpec(origins[2])]), PipelineSpec("y", tiers: [TierSpec(origins[3])]),
                PipelineSpec("whole", combine: CompositeSpec(.object(parts))),
                PipelineSpec("cached", policy: policy, tiers: [TierSpec(memory, ttl: .seconds(60)), TierSpec(origins[4])]),
                PipelineSpec("kept", tiers: [TierSpec(origins[5])]),
            ]
        }
        let before = try Pipelines(specs(0, [("x", "x")]), otherSources: origins, clock: clock)
        var plain = Watch(try before.pipeline(named: "plain").snapshots())
        await plain.until("1")
        var whole = Watch(try before.pipeline(named: "whole").snapshots())
        await whole.until(#"{"x":3}"#)
        _ = try await before.pipeline(named: "cached").fetch()
        var cached = Watch(try before.pipeline(named: "cached").snapshots())
        await cached.until("5")
        var unchanged = Watch(try before.pipeline(named: "kept").snapshots())
        await unchanged.until("6")
        var policy = PipelinePolicy()
        policy.staleIfError = .seconds(1)

        let after = try before.succeeded(
            by: specs(1, [("x", "x"), ("y", "y")], policy: policy), otherSources: origins, keeping: ["x", "y", "kept"])

        await plain.until("2")
        await whole.until(#"{"x":3,"y":4}"#)
        #expect(new.count(of: .reads) == 1 && old.count(of: .reads) == 1)
        #expect(same.count(of: .reads) == 1, "a fresh copy is as good as it is for a fetch")
        #expect(kept.count(of: .reads) == 1, "it is declared as before")
        await after.shutDown()
    }

    @Test func `what cannot be made changes nothing`() async throws {
        let origin = Origin("[1]")
        let before = try Pipelines([friends(memory, SourceSpec("api", origin))], clock: time.clock)
        let (one, other) = (SourceSpec("api", Origin("[2]")), SourceSpec("api", Origin("[3]")))

        #expect(throws: UsageError.self) {
            try before.succeeded(by: [friends(one), PipelineSpec("x", tiers: [TierSpec(other)])], keeping: [])
        }
        #expect(throws: UsageError.self) { try before.succeeded(by: [friends(one), friends(one)], keeping: []) }

        #expect(text(try await before.pipeline(named: "friends").fetch()) == "[1]")
        await before.shutDown()
        #expect(origin.closeCount == 1)
    }

    @Test func `a subscription to other processes goes on with its source, and ends with it`() async throws {
        let store = SharedStore()
        let shared = StubSource("redis", clock: time.clock, sharing: store, publishes: true)
        let neighbour = StubSource("redis", clock: time.clock, sharing: store, publishes: true)
        let redis = SourceSpec("redis", shared)
        let api = SourceSpec("api", Origin("[1]"))
        let before = try Pipelines([friends(memory, redis, api)], clock: time.clock)
        before.startListening()
        await shared.receptions(atLeast: 1)
        var spec = friends(memory, redis, api)
        spec.policy.staleIfError = .seconds(1)

        let after = try before.succeeded(by: [spec], keeping: [])
        _ = try await after.pipeline(named: "friends").fetch(key)
        #expect(shared.count(of: .receptions) == 1)
        try await neighbour.publish(.key(key))
        await shared.receptions(atLeast: 2)
        let fetched = try await after.pipeline(named: "friends").fetch(key)
        #expect(fetched.source != "memory", "another process changed it")

        let last = try after.succeeded(by: [friends(memory, api)], keeping: [])
        #expect(text(try await last.pipeline(named: "friends").fetch(key)) == "[1]")
        await last.shutDown()
    }
}

extension Outcome.Ending {
    fileprivate var isMissing: Bool {
        if case .value = self { false } else { true }
    }
}
