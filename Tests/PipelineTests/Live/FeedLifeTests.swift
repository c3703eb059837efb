import PipelineJSON
import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineLive

/// What feeds keep and share: over another configuration, among sources that are equal, and with what the caches hold.
@Suite(.timeLimit(.minutes(15))) struct FeedLifeTests {
    @Test func `LV-48 a feed that is declared as before goes on over another configuration of its pipeline`() async throws {
        let scene = try LiveScene { $0.sequence = .init("/s") }
        var (watch, connection) = try await scene.watching()
        connection.send(#"{"id":1,"n":"x","s":1}"#)
        let before = try #require(await watch.until(#"[{"id":1,"n":"x","s":1},{"id":2,"n":"b"}]"#))
        let (reads, told) = (scene.api.count(of: .reads), scene.recorder.lines.filter { $0.contains("state") })
        var spec = scene.friends.spec
        spec.policy.staleIfError = .seconds(60)

        let after = try scene.pipelines.succeeded(by: [spec], keeping: [])

        #expect(try after.pipeline(named: "friends") !== scene.friends)
        connection.send(#"{"id":2,"n":"y","s":2}"#)
        let next = try #require(await watch.next())
        #expect(next.revision == before.revision + 1)
        #expect(next.changes.changes.map(\.id) == ["2"])
        #expect(next.status.feeds.map(\.state) == [.live])
        #expect(scene.events.connections.count == 1)
        #expect(scene.api.count(of: .reads) == reads)
        #expect(scene.recorder.lines.filter { $0.contains("state") } == told)

        // Its numbers go on, too: a message is missing.
        connection.send(#"{"id":2,"n":"z","s":4}"#)
        #expect(await scene.ticking { await watch.until { $0.status.feeds.first?.state == .syncing } } != nil)
        await after.shutDown()
    }

    @Test func `a feed that is declared otherwise begins anew`() async throws {
        let scene = try LiveScene()
        var (watch, _) = try await scene.watching()
        var spec = scene.friends.spec
        spec.live[0].resync = MessagePattern([try #require(JSONPointer("/type")): "reset"])

        let after = try scene.pipelines.succeeded(by: [spec], keeping: [])

        #expect(await watch.until { $0.status.feeds.first?.state == .syncing } != nil)
        #expect(await scene.ticking { await watch.until { $0.status.feeds.first?.state == .live } } != nil)
        #expect(scene.events.connections.count == 1)
        await after.shutDown()
    }

    @Test func `a key that is fed without an observer has an expired copy of a cache to merge changes into`() async throws {
        let scene = try LiveScene()
        scene.disk.hold(#"[{"id":1,"n":"old"}]"#, for: scene.key, freshFor: .seconds(1))
        scene.time.advance(by: .seconds(2))
        scene.api.answers(.error())
        let fed = scene.friends.keepFed(scene.key)
        let connection = try await scene.events.connection(1)
        let live = try #require(scene.friends.lives[scene.key])
        try await yieldUntil { live.state.withLock { $0.content.hasValue } }

        connection.begin()
        connection.send(#"{"id":1,"n":"new"}"#)

        var watch = Watch(scene.friends.snapshots(scene.key))
        #expect(await watch.until(#"[{"id":1,"n":"new"}]"#) != nil)
        withExtendedLifetime(fed) {}
    }

    @Test func `pauses are short again only after 30 s live, not after 30 s of a stream`() {
        func pause(liveFor: Duration?) -> Duration? {
            var machine = ConnectionMachine(ReconnectPolicy(base: .seconds(1), max: .seconds(30)))
            var random = Highest()
            var now = Timestamp(nanoseconds: 0)
            for _ in 0..<3 { _ = machine.end(LiveEnding(.lost, "closed"), at: now, random: &random) }
            // The stream has begun a minute before the end.
            now = now + .seconds(60)
            if let liveFor { machine.beLive(at: now - liveFor) }
            return machine.end(LiveEnding(.lost, "closed"), at: now, random: &random).pause
        }

        #expect(pause(liveFor: nil) == .seconds(8))
        #expect(pause(liveFor: .seconds(29)) == .seconds(8))
        #expect(pause(liveFor: .seconds(30)) == .seconds(1))
    }

    @Test func `a connection that was live for less than 30 s keeps the long pauses, however long its stream was`() async throws {
        let scene = try LiveScene(events: LiveStub(reconnecting: ReconnectPolicy(base: .seconds(1), max: .seconds(100_000))))
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil }
        let gate = Gate()
        scene.api.answers(.value("[]").after(gate), .value("[]"))
        let first = try await scene.events.connection(1)
        let connection = try #require(watch.connection(of: scene))
        first.begin()
        await scene.api.reads(atLeast: 2)
        scene.time.advance(by: .seconds(60))
        #expect(connection.liveSince == nil)
        gate.open()
        _ = await watch.until { $0.status.feeds.first?.state == .live }
        try await yieldUntil { connection.liveSince != nil }
        #expect(connection.liveSince == scene.time.clock.now)
        first.end(LiveEnding(.lost, "closed by the server"))
        _ = await watch.until { $0.status.feeds.first?.state == .down }

        #expect(connection.liveSince == nil)
    }

    @Test func `a source that asks for a load learns that it was cancelled`() async throws {
        let scene = try LiveScene()
        let (watch, connection) = try await scene.watching()
        let (gate, reads) = (Gate(), scene.api.count(of: .reads))
        scene.api.answers(.value("[]").after(gate))
        let refresh = Task { try await connection.refresh() }
        await scene.api.reads(atLeast: reads + 1)

        refresh.cancel()
        gate.open()

        await #expect(throws: CancellationError.self) { try await refresh.value }
        #expect(!watch.taken.isEmpty)
    }

    @Test(arguments: [nil, "equal", "other"])
    func `two sources with equal channels share a connection where their settings are equal`(settings: String?) async throws {
        let (one, two) = (
            LiveStub(sharedSettings: settings == nil ? nil : "equal", channel: { _ in "hub" }),
            LiveStub(sharedSettings: settings, channel: { _ in "hub" })
        )
        let api = StubOrigin("api", clock: .system, answering: "[]")
        let id = try #require(JSONPointer("/id"))
        let policy = MergePolicy(id: [id], insertion: .last)
        let origin = SourceSpec("api", api)
        let pipelines = try Pipelines(
            [("a", one, "one"), ("b", two, "two")].map { name, source, label in
                PipelineSpec(name, tiers: [TierSpec(origin)], live: [FeedSpec(SourceSpec(label, source), merging: policy)])
            })
        var watches = try ["a", "b"].map { Watch(try pipelines.pipeline(named: $0).snapshots()) }
        let first = try await one.connection(1)
        let isShared = settings == "equal"
        let second = isShared ? first : try await two.connection(1)
        first.begin()
        if !isShared { second.begin() }
        for index in watches.indices { _ = await watches[index].until { $0.status.feeds.first?.state == .live } }

        first.send(#"{"id":1}"#)
        second.send(#"{"id":1}"#)

        for index in watches.indices { #expect(await watches[index].until(#"[{"id":1}]"#) != nil) }
        #expect(watches.map { $0.taken.last?.status.feeds.map(\.source) } == [["one"], ["two"]])
        #expect(one.connections.count + two.connections.count == (isShared ? 1 : 2))
        await pipelines.shutDown()
    }

    @Test func `a fetch that waits for the copies of a list can be cancelled`() async throws {
        let scene = try LiveScene()
        let (watch, connection) = try await scene.watching()
        let live = try #require(scene.friends.lives[scene.key])
        let (entered, gate) = (Gate(), Gate())
        let busy = Task {
            await live.lane.run {
                entered.open()
                try? await gate.wait()
            }
        }
        try await entered.wait()
        connection.send(#"{"id":2,"n":"B"}"#)
        let fetch = Task { try await scene.fetched() }
        for _ in 0..<100 { await Task.yield() }

        fetch.cancel()

        await #expect(throws: CancellationError.self) { try await fetch.value }
        gate.open()
        await busy.value
        // The place of the one that left is skipped.
        #expect(try await scene.fetched() == #"[{"id":1,"n":"a"},{"id":2,"n":"B"}]"#)
        #expect(!watch.taken.isEmpty)
    }

    @Test(arguments: [false, true])
    func `each key of a connection gets its changes, whichever others join and leave`(isAddressed: Bool) async throws {
        let events = LiveStub(channel: { _ in "all" })
        let scene = try LiveScene(parameters: [ParameterSpec("user")], events: events) {
            if isAddressed, let pointer = JSONPointer("/user") { $0.addressing = ["user": pointer] }
        }
        var watches = try (0..<5).map { Watch(scene.friends.snapshots(try scene.friends.key(["user": "\($0)"]))) as Watch? }
        for index in watches.indices { _ = await watches[index]?.next() }
        let connection = try await events.connection(1)
        connection.begin()
        for index in watches.indices { _ = await watches[index]?.until { $0.status.feeds.first?.state == .live } }
        let feed = try #require(watches[0]?.connection(of: scene)).feed(scene.friends.spec.live[0], of: scene.friends)
        #expect(feed.keys.map { $0.key["user"] } == ["0", "1", "2", "3", "4"])

        watches[1] = nil
        watches[4] = nil
        scene.time.advance(by: .seconds(5))
        try await yieldUntil { scene.friends.lives.keyCount <= 3 }

        #expect(feed.keys.map { $0.key["user"] } == ["0", "3", "2"])
        for user in 0..<5 { connection.send(#"{"id":1,"n":"new","user":"\#(user)"}"#) }
        for index in watches.indices where watches[index] != nil {
            #expect(await watches[index]?.until { $0.text?.contains(#""user":"\#(isAddressed ? index : 4)""#) == true } != nil)
        }
    }
}

extension Watch {
    /// The connection of a key that it observes.
    fileprivate func connection(of scene: LiveScene) -> LiveConnection? {
        guard let key = taken.last?.key, let spec = scene.friends.spec.live.first else { return nil }
        return try? scene.friends.lives.connections.connection(spec, for: key)
    }
}

/// Draws the highest number of each range.
private struct Highest: RandomNumberGenerator {
    // Stored: the thread sanitizer looks at the place of a generator, and one without contents has none.
    private let number = UInt64.max

    mutating func next() -> UInt64 { number }
}
