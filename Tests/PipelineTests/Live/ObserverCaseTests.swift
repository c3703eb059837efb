import PipelineLive
import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

/// What an observer sees of tiers, loads and writes.
@Suite(.timeLimit(.minutes(15))) struct ObserverCaseTests {
    private static let list = #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#

    @Test func `ST-01 a snapshot says that a load runs, and each value where it comes from, cold and cached`() async throws {
        let scene = try LiveScene(feed: nil)
        var cold = Watch(scene.friends.snapshots(scene.key))
        let loading = try #require(await cold.next())
        let loaded = try #require(await cold.until { $0.entry != nil })
        var cached = Watch(scene.friends.snapshots(scene.key))
        let first = try #require(await cached.next())

        #expect(loading.status.isLoading && loading.entry == nil)
        #expect(loaded.entry?.source == "api" && loaded.text == Self.list)
        #expect(first.entry?.source == "api" && !first.status.isLoading && first.revision == loaded.revision)
        _ = try await scene.friends.put(Array("[3]".utf8), for: scene.key)
        let put = try #require(await cached.next())
        #expect(put.text == "[3]" && put.entry?.source != "api")
    }

    @Test func `one that waits for the feeds asks the origin once`() async throws {
        let scene = try LiveScene()
        var watch = Watch(scene.friends.snapshots(scene.key, patience: .seconds(1)))

        let first = try #require(await watch.next())
        try await scene.events.connection(1).begin()
        let live = try #require(await watch.until { $0.status.feeds.first?.state == .live && !$0.status.isRefreshing })

        #expect(first.status.isLoading && first.entry == nil)
        #expect(live.text == Self.list && scene.api.count(of: .reads) == 1)
    }

    @Test func `one that leaves while it waits for the feeds asks no origin`() async throws {
        let scene = try LiveScene()
        var watch: Watch? = Watch(scene.friends.snapshots(scene.key, patience: .seconds(1)))
        _ = await watch?.next()
        _ = try await scene.events.connection(1)

        watch = nil
        scene.time.advance(by: .seconds(1))
        await scene.friends.finishRefreshes()

        #expect(scene.api.count(of: .reads) == 0)
    }

    @Test func `one that waits for feeds which do not begin has the value when its patience ends`() async throws {
        let scene = try LiveScene()
        var watch = Watch(scene.friends.snapshots(scene.key, patience: .seconds(1)))
        _ = try await scene.events.connection(1)

        let value = await scene.ticking { await watch.until { $0.entry != nil } }

        #expect(value?.text == Self.list && value?.status.feeds.first?.state == .connecting)
        #expect(scene.api.count(of: .reads) == 1)
    }

    @Test func `ST-02 within a stale window the copy is shown first, then the answer of the origin`() async throws {
        var policy = PipelinePolicy()
        policy.staleWhileRevalidate = .seconds(3_600)
        let scene = try LiveScene(policy: policy, feed: nil)
        _ = try await scene.friends.fetch(scene.key)
        await scene.ticking { await scene.disk.finished(.writes, atLeast: 1) }
        scene.time.advance(by: .seconds(700))
        let gate = Gate()
        scene.api.answers(.value("[2]").after(gate))
        var watch = Watch(scene.friends.snapshots(scene.key))

        let shown = try #require(await watch.until { $0.entry != nil && $0.status.isRefreshing })
        #expect(shown.text == Self.list && shown.status.isStale)
        gate.open()

        let answer = try #require(await watch.until { $0.text == "[2]" && !$0.status.isRefreshing })
        #expect(!answer.status.isStale && answer.revision == shown.revision + 1)
    }

    @Test(arguments: [false, true]) func `the same bytes, loaded once more, are as young as that load`(isMerged: Bool) async throws {
        let scene = try LiveScene()
        var (watch, connection) = try await scene.watching()
        if isMerged {
            let changed = #"[{"id":1,"n":"a"},{"id":2,"n":"B"}]"#
            connection.send(#"{"id":2,"n":"B"}"#)
            await watch.until(changed)
            scene.api.answers(.value(changed))
        }
        let before = try #require(watch.taken.last)
        connection.end(LiveEnding(.lost, "closed by the server"))
        _ = await watch.until { $0.status.feeds.first?.state == .down }
        scene.time.advance(by: .seconds(1))

        try await scene.events.connection(2).begin()
        let synced = try #require(await watch.until { $0.status.feeds.first?.state == .live && !$0.status.isRefreshing })

        #expect(synced.revision == before.revision && synced.text == before.text)
        #expect(synced.entry?.created == scene.time.clock.now)
        #expect(before.entry.map { $0.created < scene.time.clock.now } == true)
    }

    @Test func `ST-08 a write that fails is told to those who are there, and is no error of the value`() async throws {
        let scene = try LiveScene(feed: nil)
        scene.disk.fail(.writes)
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil && !$0.status.isRefreshing }
        func failures() -> Int { scene.recorder.lines.count { $0.contains("write disk") && $0.contains("failed") } }

        try await scene.ticking { try await yieldUntil { failures() != 0 } }
        let told = failures()

        #expect(watch.taken.allSatisfy { $0.status.error == nil })
        var late = Watch(scene.friends.snapshots(scene.key))
        let first = try #require(await late.next())
        #expect(first.text == Self.list && first.status.error == nil)
        #expect(failures() == told, "what was told is not told again to one who comes later")
    }

    @Test func `ST-10 a fresh copy needs no load however many observe it, and an expired one needs a single load`() async throws {
        let scene = try LiveScene(feed: nil)
        _ = try await scene.friends.fetch(scene.key)
        for _ in 1...3 {
            var watch = Watch(scene.friends.snapshots(scene.key))
            #expect(await watch.next()?.text == Self.list)
        }
        #expect(scene.api.count(of: .reads) == 1)

        scene.time.advance(by: .seconds(700))
        let gate = Gate()
        scene.api.answers(.value("[2]").after(gate))
        var watches = (1...3).map { _ in Watch(scene.friends.snapshots(scene.key)) }
        await scene.api.reads(atLeast: 2)
        gate.open()
        for index in watches.indices { #expect(await watches[index].until("[2]") != nil) }
        #expect(scene.api.count(of: .reads) == 2)
    }

    @Test func `ST-11 what came before the observer did is in its first snapshot, and an end that came before ends it at once`()
        async throws
    {
        let scene = try LiveScene(feed: nil)
        _ = try await scene.friends.fetch(scene.key)
        _ = try await scene.friends.put(Array("[3]".utf8), for: scene.key)
        var watch = Watch(scene.friends.snapshots(scene.key))
        #expect(await watch.next()?.text == "[3]")

        await scene.pipelines.shutDown()

        var late = Watch(scene.friends.snapshots(scene.key))
        #expect(await late.next() == nil)
    }
}
