import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(15))) struct BatchEndingTests {
    @Test func `A call goes on for the keys that are still wanted, and is cancelled with the last of them`() async throws {
        let scene = try BatchScene()
        let gate = scene.api.hold()
        let many = Task { try await scene.fetch(0..<3) }
        try await yieldUntil { !scene.api.calls.isEmpty }
        async let one = scene.users.fetch(["id": "1"])
        try await yieldUntil { scene.users.flights[0].waiterCount(of: BatchScene.key("1")) >= 2 }
        many.cancel()
        await #expect(throws: CancellationError.self) { try await many.value }
        gate.open()
        #expect(try await one.text == "\"1\"")
        #expect(scene.api.calls == [["0", "1", "2"]] && scene.api.cancelledCount == 0)

        let held = scene.api.hold()
        let last = Task { try await scene.fetch(10..<13) }
        try await yieldUntil { scene.api.calls.count >= 2 }
        last.cancel()
        await #expect(throws: CancellationError.self) { try await last.value }
        try await yieldUntil { scene.api.cancelledCount != 0 }
        held.open()
        #expect(scene.users.loadsUnderWay == 0)
    }

    @Test(arguments: [Duration.seconds(4), nil])
    func `One whose cache takes long does not cost the others all their time`(timeout: Duration?) async throws {
        let scene = try BatchScene(policy: .init())
        let slow = StubSource("slow", clock: scene.time.clock)
        slow.answers { key in key["id"] == "1" ? .hanging : .miss }
        let api = BatchStub(scene.time)
        let users = try DataPipeline(
            PipelineSpec(
                "users", parameters: ["id"], tiers: [TierSpec(SourceSpec("slow", slow)), TierSpec(SourceSpec("api", api))]),
            clock: scene.time.clock)
        async let many = users.fetch(many: BatchScene.keys(0..<4), timeout: timeout)
        await slow.reads(atLeast: 4)
        while api.calls.joined().count < 3, !Task.isCancelled {
            scene.time.advance(by: .milliseconds(100))
            for _ in 0..<100 { await Task.yield() }
        }
        #expect(api.calls.flatMap(\.self).sorted() == ["0", "2", "3"])
        scene.time.advance(by: timeout ?? .seconds(30))
        let outcomes = try await many
        // Without a deadline its cache has the usual limit, and the origin is asked for it then.
        #expect(outcomes.map { $0.failure == nil } == [true, timeout == nil, true, true])
    }

    @Test func `A batch that is not answered in time fails each key, and the calls of the next fetch are its own`() async throws {
        let scene = try BatchScene { $0.timeout = .seconds(1) }
        _ = scene.api.hold()
        async let many = scene.fetch(0..<3)
        try await yieldUntil { !scene.api.calls.isEmpty }
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .seconds(1))
        let outcomes = try await many
        #expect(outcomes.allSatisfy { $0.trace == "memory: miss, api: timeout" })
        #expect(outcomes[0].attempts.last?.reason == "no answer within 1s, in a batch of 3")
        try await yieldUntil { scene.api.cancelledCount != 0 }
    }

    @Test func `A window gathers fetches that know nothing of each other`() async throws {
        let scene = try BatchScene(most: 3, window: .milliseconds(5))
        var fetches = (1...2).map { id in Task { try await scene.users.fetch(["id": "\(id)"]) } }
        try await yieldUntil { scene.time.sleeperCount != 0 }
        #expect(scene.api.calls.isEmpty)

        // Time stands still, so that the window is open until the call has all three.
        fetches.append(Task { try await scene.users.fetch(["id": "3"]) })
        for fetch in fetches { _ = try await fetch.value }
        #expect(scene.api.calls.map { $0.sorted() } == [["1", "2", "3"]])

        let alone = Task { try await scene.users.fetch(["id": "4"]) }
        try await yieldUntil { scene.time.sleeperCount != 0 }
        scene.time.advance(by: .milliseconds(5))
        _ = try await alone.value
        #expect(scene.api.calls.last == ["4"])
    }

    @Test func `The window ends early when a call is full, and where a fetch would have too little time left`() async throws {
        let scene = try BatchScene(most: 2, window: .seconds(5))
        let outcomes = try await scene.fetch(0..<2)
        #expect(outcomes.allSatisfy { $0.text != nil } && scene.api.calls == [["0", "1"]])

        async let hurried = scene.users.fetch(["id": "9"], timeout: .seconds(2))
        try await yieldUntil { scene.users.flights[0].waiterCount(of: BatchScene.key("9")) != 0 }
        // It waits for others for half of its time. Whenever it began to, half of what is left is the end of that, and never too late.
        var left = Duration.seconds(2)
        while scene.api.calls.count < 2 {
            left /= 2
            scene.time.advance(by: left)
            for _ in 0..<1_000 where scene.api.calls.count < 2 { await Task.yield() }
        }
        #expect(try await hurried.text == "\"9\"" && scene.api.calls.last == ["9"])
    }

    @Test(arguments: [nil, RetryPolicy(attempts: 3, base: .zero)])
    func `The tier's time to answer goes on in the window, which ends early when half of it is over`(retry: RetryPolicy?) async throws {
        let scene = try BatchScene(window: .seconds(3)) { ($0.timeout, $0.retry) = (.seconds(1), retry) }
        _ = scene.api.hold()
        async let one = scene.users.fetch(["id": "1"])
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(499))
        for _ in 0..<100 { await Task.yield() }
        #expect(scene.api.calls.isEmpty)

        scene.time.advance(by: .milliseconds(1))
        try await yieldUntil { !scene.api.calls.isEmpty }
        try #require(scene.api.calls == [["1"]])
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(500))

        let outcome = try await one
        let attempt = try #require(outcome.attempts.last)
        #expect(attempt.outcome == .timeout && attempt.reason == "no answer within 1s")
        #expect(attempt.duration == .seconds(1), "the wait for others is part of it")
    }

    @Test func `The window ends early for a soft timeout, and what the attempt took contains the wait`() async throws {
        let scene = try BatchScene(window: .seconds(3)) { $0.softTimeout = .seconds(1) }
        async let one = scene.users.fetch(["id": "1"])
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(500))
        try await yieldUntil { !scene.api.calls.isEmpty }
        try #require(scene.api.calls == [["1"]])
        let outcome = try await one
        #expect(outcome.text == "\"1\"" && outcome.attempts.last?.duration == .milliseconds(500))
    }

    @Test func `A fetch that is cancelled in the window is in no call`() async throws {
        let scene = try BatchScene(window: .seconds(5))
        let one = Task { try await scene.users.fetch(["id": "1"]) }
        async let two = scene.users.fetch(["id": "2"])
        for id in 1...2 { try await yieldUntil { scene.users.flights[0].waiterCount(of: BatchScene.key("\(id)")) != 0 } }
        try await yieldUntil { scene.time.sleeperCount != 0 }
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        try await yieldUntil { scene.users.loadsUnderWay <= 1 }
        await scene.pass(.seconds(5))
        #expect(try await two.text == "\"2\"")
        #expect(scene.api.calls == [["2"]])
    }

    @Test func `A shutdown ends a batch`() async throws {
        let scene = try BatchScene()
        _ = scene.api.hold()
        let many = Task { try await scene.fetch(0..<3) }
        try await yieldUntil { !scene.api.calls.isEmpty }
        _ = await scene.users.shutDown()
        await #expect(throws: ShutDownError.self) { try await many.value }
    }

    @Test func `A batch has the greatest priority of its fetches, as it changes`() async throws {
        let scene = try BatchScene()
        _ = try await scene.users.fetch(many: BatchScene.keys(0..<2), priority: .high)
        #expect(scene.api.priorities == [.high])
    }

    @Test func `A source that gives another number of results than keys gives no answer`() async throws {
        let time = ManualClock()
        struct Short: Source {
            var batching: Batching? { Batching(of: nil, most: 10) { _, _ in BatchAnswer([]) } }
            func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
        }
        let users = try DataPipeline(
            PipelineSpec("users", parameters: ["id"], tiers: [TierSpec(SourceSpec("api", Short()))]), clock: time.clock)
        let outcomes = try await users.fetch(many: BatchScene.keys(0..<3))
        #expect(outcomes.allSatisfy { $0.attempts.last?.outcome == .invalid })
    }

    @Test func `Random fetches of many keys, single ones, removals and cancellations end, and none gets the value of another`() async throws
    {
        for seed in 0..<40 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let scene = try BatchScene(hasDisk: seed % 2 == 0, hasSpare: true, most: 4)
            if seed % 3 == 0 { scene.api.change { $0.failures = Array(repeating: SourceError("status 500"), count: 5) } }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    let ids = (0..<Int.random(in: 1...9, using: &random)).map { _ in Int.random(in: 0..<20, using: &random) }
                    let isCancelled = Int.random(in: 0..<5, using: &random) == 0
                    let isRemoval = Int.random(in: 0..<8, using: &random) == 0
                    group.addTask {
                        if isRemoval { _ = try? await scene.users.remove(BatchScene.key("\(ids[0])")) }
                        let fetch = Task { try await scene.fetch(ids) }
                        if isCancelled { fetch.cancel() }
                        guard let outcomes = try? await fetch.value else { return }
                        #expect(outcomes.map(\.text) == ids.map { "\"\($0)\"" })
                    }
                }
            }
            try await yieldUntil { scene.users.loadsUnderWay == 0 }
        }
    }
}
