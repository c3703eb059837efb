import PipelineComposing
import PipelineJSON
import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

/// `concurrency` bounds the calls of origins of one fetch.
@Suite struct ConcurrencyTests {
    private func object(_ members: (String, PartSpec)..., concurrency: Int) -> CompositeSpec {
        var combine = CompositeSpec(.object(members.map { ($0.0, $0.1) }))
        combine.concurrency = concurrency
        return combine
    }

    private func users(_ count: Int) throws -> [LinkSpec] { [LinkSpec("users", at: try JSONPath("/ids"), pipeline: "user")] }

    private func ids(_ range: Range<Int>) -> StubAnswer {
        StubAnswer(stringLiteral: #"{"ids":[\#(range.map { "\($0)" }.joined(separator: ","))]}"#)
    }

    @Test func `no more calls run at the same time than allowed`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("leaf", "1", parameters: ["n"]).delay(.reads, until: gate)
        var combine = CompositeSpec(.object((1...5).map { ("m\($0)", PartSpec("leaf", with: ["n": .init(text: "\($0)")])) }))
        combine.concurrency = 2
        screen.whole(combine)

        async let fetched = screen.fetch()
        await screen["leaf"].reads(atLeast: 2)
        gate.open()
        _ = try await fetched

        #expect(screen["leaf"].peakCount(of: .reads) == 2)
        #expect(screen["leaf"].readCount == 5)
    }

    @Test func `KO-21 composites in composites need no second permit, and share those that there are`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("leaf", "1", parameters: ["n"]).delay(.reads, until: gate)
        func leaf(_ number: Int) -> PartSpec { PartSpec("leaf", with: ["n": .init(text: "\(number)")]) }
        screen.whole(object(("a", leaf(1)), ("b", leaf(2)), concurrency: 9), named: "one")
        screen.whole(object(("one", "one"), ("leaf", leaf(3)), concurrency: 9), named: "two")
        screen.whole(object(("two", "two"), ("one", "one"), ("leaf", leaf(4)), concurrency: 1), named: "three")
        let three = try screen.pipeline("three")

        async let fetched = screen.fetch("three")
        await screen["leaf"].reads(atLeast: 1)
        let leaves = try screen.pipeline("leaf")
        try await yieldUntil { leaves.flights[0].count >= 4 }
        gate.open()

        #expect(try await fetched.text == #"{"two":{"one":{"a":1,"b":1},"leaf":1},"one":{"a":1,"b":1},"leaf":1}"#)
        #expect(screen["leaf"].peakCount(of: .reads) == 1)
        #expect(screen["leaf"].readCount == 4)
        #expect(three.loadsUnderWay == 0)
    }

    @Test func `ids that a cache reads several of at once are bounded at the origin`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("posts", ids(0..<30), links: try users(30))
        let origin = screen.part("user", "0", parameters: ["id"]) { spec in
            let cache = BatchCache(StubSource("disk", clock: screen.time.clock))
            spec.tiers.insert(TierSpec(SourceSpec("disk", cache, capabilities: [.keepsMetadata])), at: 0)
        }
        origin.delay(.reads, until: gate)
        screen.whole(CompositeSpec(.of(PartSpec("posts", follow: ["users"]))))
        var bounded = CompositeSpec(.of(PartSpec("posts", follow: ["users"])))
        bounded.concurrency = 4
        screen.whole(bounded, named: "bounded")

        async let fetched = screen.fetch("bounded")
        await origin.reads(atLeast: 4)
        let user = try screen.pipeline("user")
        try await yieldUntil { user.flights[0].count >= 30 }
        gate.open()

        #expect(try await fetched.failure == nil)
        #expect(origin.peakCount(of: .reads) == 4)
        #expect(origin.readCount == 30)
    }

    @Test func `a call for a batch takes one permit, and its chunks wait for each other`() async throws {
        let screen = Combination()
        let api = BatchStub(screen.time, most: 2)
        let gate = api.hold()
        screen.part("posts", ids(0..<10), links: try users(10))
        screen.part("user", parameters: ["id"]) { $0.tiers = [TierSpec(SourceSpec("users", api))] }
        var combine = CompositeSpec(.of(PartSpec("posts", follow: ["users"])))
        combine.concurrency = 2
        screen.whole(combine)

        async let fetched = screen.fetch()
        try await yieldUntil { api.calls.count >= 2 }
        for _ in 0..<200 { await Task.yield() }
        #expect(api.calls.count == 2)
        gate.open()

        #expect(try await fetched.failure == nil)
        #expect(api.calls.count == 5)
    }

    @Test func `what memory has waits for no call`() async throws {
        let screen = Combination()
        screen.part("q", "1", ttl: .seconds(60))
        screen.part("s", "2").delay(.reads, until: Gate())
        screen.whole(object(("s", PartSpec("s", optional: true)), ("q", "q"), concurrency: 1))
        try await screen.fetch("q")

        async let fetched = screen.fetch(timeout: .seconds(1))
        await screen["s"].reads(atLeast: 1)
        screen.time.advance(by: .seconds(1))

        #expect(try await fetched.text == #"{"q":1}"#)
    }

    @Test func `a call that had no turn until the deadline says so, and the origin is not asked`() async throws {
        let screen = Combination()
        screen.part("s", "2").delay(.reads, until: Gate())
        screen.part("q", "1")
        screen.whole(object(("s", PartSpec("s", optional: true)), ("q", PartSpec("q", optional: true)), concurrency: 1))

        async let fetched = screen.fetch(timeout: .seconds(1))
        try await yieldUntil { screen["s"].readCount + screen["q"].readCount != 0 }
        let (s, q) = (try screen.pipeline("s"), try screen.pipeline("q"))
        if screen["s"].readCount == 1, screen["q"].readCount == 0 { try await yieldUntil { q.flights[0].count != 0 } }
        try await yieldUntil { s.flights[0].count != 0 }
        for _ in 0..<200 { await Task.yield() }
        screen.time.advance(by: .seconds(1))
        let parts = try await fetched.parts

        let reasons = parts.compactMap { $0.outcome?.attempts.last?.reason }
        #expect(reasons.contains { $0.hasPrefix("no answer within the 1s left") })
        if screen["q"].readCount == 0 { #expect(reasons.contains { $0.hasPrefix("not asked within the time until the deadline") }) }
    }

    @Test func `permits pass to those that wait, in their order, and those that leave take none`() async throws {
        let time = ManualClock()
        let permits = CallPermits(1)
        try await permits.take(until: nil, on: time.clock)
        let gone = Task { try await permits.take(until: nil, on: time.clock) }
        try await yieldUntil { permits.waitingCount >= 1 }
        let late = Task { try await permits.take(until: time.now + .seconds(1), on: time.clock) }
        try await yieldUntil { permits.waitingCount >= 2 }
        let next = Task { try await permits.take(until: nil, on: time.clock) }
        try await yieldUntil { permits.waitingCount >= 3 }
        gone.cancel()
        await #expect(throws: CancellationError.self) { try await gone.value }
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))
        await #expect(throws: PastLimit.self) { try await late.value }

        permits.give()
        try await next.value
        #expect(permits.freeCount == 0)
        permits.give()
        #expect(permits.freeCount == 1)
    }

    @Test func `a fetch that is cancelled gives all permits back`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("leaf", "1", parameters: ["n"]).delay(.reads, until: gate)
        let demand = PartDemand(policy: .default, priority: .normal, end: nil, isBound: false, concurrency: 2)
        let leaf = try screen.pipeline("leaf")
        let keys = try (0..<6).map { try leaf.key(["n": "\($0)"]) }
        let many = Task {
            try await leaf.fetch(many: keys, policy: .default, priority: nil, timeout: nil, for: demand) { _, _ in }
        }
        await screen["leaf"].reads(atLeast: 2)
        try await yieldUntil { demand.bounds.calls.waitingCount >= 4 }
        many.cancel()
        _ = await many.result
        try await yieldUntil { leaf.loadsUnderWay == 0 && demand.bounds.calls.freeCount >= 2 }
        gate.open()

        #expect(screen["leaf"].readCount == 2)
    }
}
