import PipelineJSON
import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Corners of feeds: resumed streams, unreadable messages, many changes, several observers, owners, defaults, other configurations.
@Suite(.timeLimit(.minutes(15))) struct FeedCornerTests {
    @Test func `LV-28 a resumed stream loads nothing, until its numbers show a gap`() async throws {
        let number = try #require(JSONPointer("/s"))
        let scene = try LiveScene(events: LiveStub(resumes: true)) { $0.sequence = number }
        var (watch, connection) = try await scene.watching()
        connection.send(#"{"id":1,"n":"x","s":5}"#)
        connection.mark("5")
        _ = await watch.until { $0.revision == 2 }
        connection.end(LiveEnding(.lost, "closed by the server"))
        _ = await watch.until { $0.status.feeds.first?.state == .down }
        scene.time.advance(by: .seconds(1))
        let second = try await scene.events.connection(2)
        #expect(second.position == "5")
        let reads = scene.api.count(of: .reads)
        second.begin()
        #expect(await watch.until { $0.status.feeds.first?.state == .live } != nil)
        #expect(scene.api.count(of: .reads) == reads)
        scene.api.answers("[]")

        second.send(#"{"id":1,"n":"y","s":9}"#)

        #expect(await watch.until("[]") != nil)
        #expect(scene.api.count(of: .reads) == reads + 1)
    }

    @Test func `a stream that resumes without a position loads the list again`() async throws {
        let scene = try LiveScene(events: LiveStub(resumes: true))
        var (watch, connection) = try await scene.watching()
        connection.end(LiveEnding(.lost, "closed by the server"))
        _ = await watch.until { $0.status.feeds.first?.state == .down }
        scene.time.advance(by: .seconds(1))
        scene.api.answers("[]")
        try await scene.events.connection(2).begin()

        #expect(await watch.until("[]") != nil)
    }

    @Test func `ME-12, LV-34 messages that cannot be read are skipped and counted, and the feed lives`() async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        connection.send("not json")
        connection.send("")
        connection.send(#"{"n":"without an id"}"#)
        connection.skip("a binary frame")

        connection.send(#"{"id":1,"n":"x"}"#)

        #expect(await watch.until { $0.revision == 2 }?.status.feeds.first?.state == .live)
        func told() -> Int { scene.recorder.lines.count { $0.contains("skipped(") } }
        #expect(told() == 1)
        scene.time.advance(by: .seconds(60))
        #expect(told() == 2)
        #expect(scene.recorder.lines.contains { $0.contains("skipped(3") })
    }

    @Test func `what is skipped is counted at once, and then within a second`() async throws {
        let scene = try LiveScene()
        let (_, connection) = try await scene.watching()
        func counted() -> [String] { scene.recorder.lines.filter { $0.contains("skipped(") } }

        connection.send("not json")
        #expect(counted().count == 1)
        for _ in 1...3 { connection.send("not json") }
        #expect(counted().count == 1)
        scene.time.advance(by: .seconds(1))

        #expect(counted().count == 2)
        #expect(counted().last?.contains("skipped(3") == true)
    }

    @Test func `LV-23 after each of many changes memory is right, and the disk is written at most once a max_delay`() async throws {
        let list = "[" + (0..<100).map { #"{"id":\#($0),"n":0}"# }.joined(separator: ",") + "]"
        let scene = try LiveScene(list: list)
        let (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 1)
        for round in 1...20 {
            for id in 0..<100 { connection.send(#"{"id":\#(id),"n":\#(round)}"#) }
            let expected = "[" + (0..<100).map { #"{"id":\#($0),"n":\#(round)}"# }.joined(separator: ",") + "]"
            #expect(try await scene.fetched() == expected)
            scene.time.advance(by: .seconds(1))
        }
        // Twenty seconds without a quiet one: the longest delay is ten times the debounce.
        #expect(scene.disk.count(of: .writes) <= 2)
        scene.time.advance(by: .seconds(20))
        await scene.disk.finished(.writes, atLeast: 2)
        #expect(scene.disk.text(for: scene.key)?.hasSuffix(#"{"id":99,"n":20}]"#) == true)
        #expect(!watch.taken.isEmpty)
    }

    @Test func `CA-10 when one of two observers leaves, the other goes on and so does the feed`() async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        var other: Watch? = Watch(scene.friends.snapshots(scene.key))
        _ = await other?.next()
        other = nil
        scene.time.advance(by: .seconds(20))

        connection.send(#"{"id":1,"n":"x"}"#)

        #expect(await watch.until { $0.revision == 2 } != nil)
        #expect(connection.isOpen)
    }

    @Test func `LV-42 an owner that was released is called no more, and its feed stops`() async throws {
        final class Screen: Sendable {}
        let scene = try LiveScene()
        let calls = Gate()
        var screen: Screen? = Screen()
        let token = scene.friends.observe(scene.key, owner: try #require(screen)) { _, snapshot in
            if snapshot.entry != nil { calls.open() }
        }
        try await calls.wait()
        let connection = try await scene.events.connection(1)
        screen = nil
        scene.time.advance(by: .seconds(1))
        try await yieldUntil { scene.friends.lives.observerCount == 0 }
        scene.time.advance(by: .seconds(5))

        try await connection.waitForEnd()
        token.cancel()
        #expect(screen == nil)
    }

    @Test func `LV-35 too many changes under a hung load are dropped, and a load follows`() async throws {
        let scene = try LiveScene()
        let gate = Gate()
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil }
        scene.api.answers(.value("[]").after(gate), .value(#"[{"id":1,"n":"new"}]"#))
        let connection = try await scene.events.connection(1)
        connection.begin()
        await scene.api.reads(atLeast: 2)

        for number in 0...10_000 { connection.send(#"{"id":1,"n":\#(number)}"#) }

        gate.open()
        #expect(await scene.ticking { await watch.until(#"[{"id":1,"n":"new"}]"#) } != nil)
        #expect(scene.recorder.lines.contains { $0.contains("too many changes waited for a load") })
    }

    @Test func `the default of a last resort is shown, and no change is merged into it`() async throws {
        let clock = ManualClock()
        let (api, builtin) = (
            StubOrigin("api", clock: clock.clock, answering: .error()), StubOrigin("builtin", clock: clock.clock, answering: "[]")
        )
        let events = LiveStub()
        let pipeline = try DataPipeline(
            PipelineSpec(
                "friends",
                tiers: [
                    TierSpec(SourceSpec("api", api)),
                    TierSpec(SourceSpec("builtin", builtin, capabilities: [.alwaysAnswers]), TierPolicy()),
                ],
                live: [FeedSpec(SourceSpec("events", events), merging: MergePolicy(id: [try #require(JSONPointer("/id"))]))]),
            clock: clock.clock)
        let key = try pipeline.key()
        var watch = Watch(pipeline.snapshots(key))
        #expect(await watch.until("[]") != nil)
        let connection = try await events.connection(1)
        connection.begin()
        connection.send(#"{"id":1}"#)
        api.answers(#"[{"id":2}]"#)
        // Ends below.
        let ticking = Task {
            while !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }

        #expect(await watch.until { $0.status.feeds.first?.state == .live } != nil)
        ticking.cancel()
        #expect(!watch.taken.contains { $0.text?.hasPrefix(#"[{"id":1}"#) == true && $0.text != #"[{"id":1},{"id":2}]"# })
    }

    @Test func `a fetch that asks no origin tells observers nothing of the value`() async throws {
        let scene = try LiveScene(feed: nil)
        scene.api.answers(.error())
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.status.error != nil && !$0.status.isLoading }

        _ = try await scene.friends.fetch(scene.key, policy: .cacheOnly)
        scene.api.answers("[1]")
        _ = try await scene.friends.fetch(scene.key)

        #expect(await watch.until("[1]") != nil)
        #expect(!watch.taken.contains { $0.isNotFound })
    }
}
