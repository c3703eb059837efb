import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineLive

/// Feeds: how they connect, sync, merge and end.
@Suite(.timeLimit(.minutes(15))) struct FeedTests {
    private let list = #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#

    @Test func `a feed is live when a load has landed that began after its stream`() async throws {
        let scene = try LiveScene()
        let (early, late) = (Gate(), Gate())
        scene.api.answers(.value("[]").after(early), .value(list).after(late))
        var watch = Watch(scene.friends.snapshots(scene.key))
        let connection = try await scene.events.connection(1)
        #expect(await watch.until { $0.status.feeds.first?.state == .connecting } != nil)
        await scene.api.reads(atLeast: 1)
        connection.begin()
        #expect(await watch.until { $0.status.feeds.first?.state == .syncing } != nil)
        await scene.api.reads(atLeast: 2)
        late.open()

        let live = try #require(await watch.until { $0.status.feeds.first?.state == .live })
        #expect(live.text == list)
        // The load that began before lands nowhere.
        early.open()
        await scene.api.finished(.reads, atLeast: 2)
        #expect(try await scene.fetched() == list)
    }

    @Test func `ME-01, ME-08 a change is in memory at once, and on disk after the quiet time`() async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 1)

        connection.send(#"{"id":2,"n":"B"}"#)

        let changed = #"[{"id":1,"n":"a"},{"id":2,"n":"B"}]"#
        #expect(try await scene.fetched() == changed)
        let snapshot = try #require(await watch.until(changed))
        #expect(
            snapshot.changes
                == ListChanges([.init(.update, id: "2", item: Array(#"{"id":2,"n":"B"}"#.utf8), old: Array(#"{"id":2,"n":"b"}"#.utf8))]))
        #expect(scene.disk.text(for: scene.key) == list)
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 2)
        #expect(scene.disk.text(for: scene.key) == changed)
        #expect(scene.api.count(of: .reads) == 2)
    }

    @Test func `a change that cannot be written leaves the copy from before`() async throws {
        let scene = try LiveScene()
        let (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 1)
        let before = try #require(scene.disk.text(for: scene.key))
        scene.disk.fail(.writes)

        connection.send(#"{"id":2,"n":"B"}"#)
        _ = try await scene.fetched()
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 2)
        await scene.friends.finishRefreshes()

        #expect(scene.disk.text(for: scene.key) == before)
        #expect(scene.disk.count(of: .removes) == 0)
        // Observed until here.
        #expect(!watch.taken.isEmpty)
    }

    @Test func `a merged list gets no younger`() async throws {
        let scene = try LiveScene()
        let (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(29))
        connection.send(#"{"id":2,"n":"B"}"#)
        #expect(try await scene.friends.fetch(scene.key).source == "memory")

        scene.time.advance(by: .seconds(1))

        #expect(try await scene.friends.fetch(scene.key).source == "disk")
        // Observed until here.
        #expect(!watch.taken.isEmpty)
    }

    @Test func `LV-26, ME-09 a reconnect loads again, and no observer sees an empty list between`() async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        connection.end(LiveEnding(.lost, "closed by the server"))
        let down = try #require(await watch.until { $0.status.feeds.first?.state == .down })
        #expect(down.status.feeds.first?.reason == "closed by the server")
        #expect(down.status.feeds.first?.pause != nil)
        // While it is down, copies are served as their times say.
        #expect(try await scene.friends.fetch(scene.key).source == "memory")
        scene.api.answers("[]")
        scene.api.answers(.value(#"[{"id":9}]"#))
        scene.time.advance(by: .seconds(1))
        let second = try await scene.events.connection(2)
        second.begin()

        let live = try #require(await watch.until { $0.status.feeds.first?.state == .live })
        #expect(live.text == #"[{"id":9}]"#)
        #expect(!watch.taken.dropFirst().contains { $0.entry == nil && $0.revision > 0 })
    }

    @Test func `from the reconnect until the list has come, copies count as expired`() async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        connection.end(LiveEnding(.lost, "closed by the server"))
        _ = await watch.until { $0.status.feeds.first?.state == .down }
        let gate = Gate()
        scene.api.answers(.value("[]").after(gate))
        scene.time.advance(by: .seconds(1))
        try await scene.events.connection(2).begin()
        await scene.api.reads(atLeast: 3)

        let fetch = Task { try await scene.fetched() }
        gate.open()

        #expect(try await fetch.value == "[]")
    }

    @Test func `LV-10 a removal drops changes that are not written yet`() async throws {
        let scene = try LiveScene()
        let (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 1)
        connection.send(#"{"id":2,"n":"B"}"#)
        _ = try await scene.friends.remove(scene.key)
        scene.time.advance(by: .seconds(20))

        #expect(scene.disk.text(for: scene.key) == nil)
        #expect(try await scene.friends.fetch(scene.key, policy: .cacheOnly).payload == nil)
        // Observed until here.
        #expect(!watch.taken.isEmpty)
    }

    @Test func `LV-11, ME-06 a change after a clear makes no list`() async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        _ = try await scene.friends.clear()
        connection.send(#"{"id":2,"n":"B"}"#)

        #expect(await watch.until { $0.entry == nil } != nil)
        #expect(try await scene.friends.fetch(scene.key, policy: .cacheOnly).payload == nil)
        #expect(scene.recorder.lines.contains { $0.contains("dropped(1") })
    }

    @Test func `LV-12 a put is the base of later changes`() async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        _ = try await scene.friends.put(Array(#"[{"id":5}]"#.utf8), for: scene.key)
        connection.send(#"{"id":5,"n":"e"}"#)

        #expect(await watch.until(#"[{"id":5,"n":"e"}]"#) != nil)
        #expect(try await scene.fetched() == #"[{"id":5,"n":"e"}]"#)
    }

    @Test func `LV-20 a message for another key leaves this one alone`() async throws {
        let user = try #require(JSONPointer("/user"))
        let scene = try LiveScene(parameters: ["user"], events: LiveStub(channel: { _ in "all" })) { $0.addressing = ["user": user] }
        var (watch, connection) = try await scene.watching()
        var other = Watch(scene.friends.snapshots(Key(pipeline: "friends", parameters: ["user": "43"])))
        _ = await other.until { $0.status.feeds.first?.state == .live }
        #expect(scene.events.connections.count == 1)

        connection.send(#"{"id":1,"n":"x","user":43}"#)
        connection.send(#"{"id":1,"n":"y","user":"42"}"#)

        #expect(await watch.until { $0.revision > 1 }?.text == #"[{"id":1,"n":"y","user":"42"},{"id":2,"n":"b"}]"#)
        #expect(await other.until { $0.revision > 1 }?.text == #"[{"id":1,"n":"x","user":43},{"id":2,"n":"b"}]"#)
    }

    @Test func `LV-27 a gap in the numbers loads the list again, an equal number is dropped`() async throws {
        let number = try #require(JSONPointer("/s"))
        let scene = try LiveScene { $0.sequence = number }
        var (watch, connection) = try await scene.watching()
        connection.send(#"{"id":1,"n":"x","s":4}"#)
        connection.send(#"{"id":1,"n":"no","s":4}"#)
        _ = await watch.until(#"[{"id":1,"n":"x","s":4},{"id":2,"n":"b"}]"#)
        #expect(scene.api.count(of: .reads) == 2)
        scene.api.answers("[]")

        connection.send(#"{"id":1,"n":"z","s":6}"#)

        #expect(await watch.until("[]")?.status.feeds.first?.state == .live)
        #expect(scene.api.count(of: .reads) == 3)
    }

    @Test func `LV-32 a refusal is said, and tried again at the longest pause`() async throws {
        let scene = try LiveScene()
        var watch = Watch(scene.friends.snapshots(scene.key))
        try await scene.events.connection(1).end(LiveEnding(.refused, "status 401"))

        let refused = try #require(await watch.until { $0.status.feeds.first?.state == .refused })
        #expect(refused.status.feeds.first == FeedStatus("events", .refused, reason: "status 401", pause: .seconds(30)))
        scene.time.advance(by: .seconds(30))
        try await scene.events.connection(2).end(LiveEnding(.ended, "the server has nothing more to tell"))
        #expect(await watch.until { $0.status.feeds.first?.state == .ended }?.status.feeds.first?.pause == nil)
    }

    @Test func `a feed that could not be begun is off with the reason, and tried again without a word`() async throws {
        let scene = try LiveScene()
        var watch = Watch(scene.friends.snapshots(scene.key))
        try await scene.events.connection(1).fail(SourceError("no descriptor is left", kind: .unasked))

        let off = try #require(await watch.until { $0.status.feeds.first?.reason != nil })
        #expect(off.status.feeds.first == FeedStatus("events", .off, reason: "no descriptor is left", pause: .seconds(30)))
        #expect(try await scene.fetched() == #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#)
        scene.time.advance(by: .seconds(30))
        let again = try await scene.events.connection(2)
        again.begin()
        #expect(await scene.ticking { await watch.until { $0.status.feeds.first?.state == .live } } != nil)
        let later = watch.taken.drop { $0.status.feeds.first?.reason == nil }
        #expect(later.allSatisfy { $0.status.feeds.first?.state != .connecting })
    }

    @Test func `of many keys that nothing observes any more those that were left first end at once`() async throws {
        let scene = try LiveScene(parameters: [ParameterSpec("user")])
        let lives = scene.friends.lives
        let most = LiveKeys.mostLingering
        for user in 0..<most + 50 { _ = scene.friends.keepFed(try scene.friends.key(["user": "\(user)"])) }

        #expect(lives.keyCount == most)
        #expect(lives[try scene.friends.key(["user": "49"])] == nil)
        #expect(lives[try scene.friends.key(["user": "50"])] != nil)

        // One that is held again is not among them.
        let held = scene.friends.keepFed(try scene.friends.key(["user": "50"]))
        for user in 0..<most { _ = scene.friends.keepFed(try scene.friends.key(["user": "again \(user)"])) }
        #expect(lives.keyCount == most + 1)
        scene.time.advance(by: .seconds(5))
        #expect(lives.keyCount == 1)
        withExtendedLifetime(held) {}
    }

    @Test func `a feed ends five seconds after the last observer, and shares one connection before`() async throws {
        let scene = try LiveScene()
        var watches: [Watch]? = []
        for _ in 0..<1_000 { watches?.append(Watch(scene.friends.snapshots(scene.key))) }
        let connection = try await scene.events.connection(1)
        #expect(scene.events.connections.count == 1)
        watches = nil
        scene.time.advance(by: .seconds(5))

        try await connection.waitForEnd()
        #expect(connection.isCancelled)
    }

    @Test func `a bare feed loads the value again at most once a second`() async throws {
        let scene = try LiveScene { $0.merging = nil }
        var (watch, connection) = try await scene.watching()
        scene.api.answers("[3]")
        connection.signal()
        #expect(await watch.until("[3]") != nil)
        let reads = scene.api.count(of: .reads)
        scene.api.answers("[4]")
        for _ in 0..<100 { connection.signal() }
        #expect(scene.api.count(of: .reads) == reads)

        scene.time.advance(by: .seconds(1))

        #expect(await watch.until("[4]") != nil)
        #expect(scene.api.count(of: .reads) == reads + 1)
    }

    @Test func `a feed that confirms keeps copies fresh while its connection lives`() async throws {
        let scene = try LiveScene {
            $0.confirms = true
        }
        let (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(29))
        connection.showAlive()
        scene.time.advance(by: .seconds(29))
        #expect(try await scene.friends.fetch(scene.key).source == "memory")

        scene.time.advance(by: .seconds(1))

        #expect(try await scene.friends.fetch(scene.key).source != "memory")
        // Observed until here.
        #expect(!watch.taken.isEmpty)
    }
}
