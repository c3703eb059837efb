import PipelineLive
import PipelineTesting
import PipelineJSON
import SourcesMemory
import Testing

@testable import Pipeline

/// What may happen between a change and the caches, and between a connection and its keys.
@Suite(.timeLimit(.minutes(15))) struct FeedRaceTests {
    @Test func `a promotion does not keep a change from the disk`() async throws {
        let scene = try LiveScene()
        let (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(31))
        await scene.disk.finished(.writes, atLeast: 1)
        let gate = Gate()
        scene.disk.delay(.reads, until: gate)
        let fetch = Task { try await scene.fetched() }
        await scene.disk.reads(atLeast: 1)
        connection.send(#"{"id":2,"n":"B"}"#)
        gate.open()
        _ = try await fetch.value
        await scene.friends.finishRefreshes()
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 2)

        #expect(scene.disk.text(for: scene.key) == #"[{"id":1,"n":"a"},{"id":2,"n":"B"}]"#)
        #expect(!watch.taken.isEmpty)
    }

    @Test func `what a fetch finds after a removal is not the value of an observer`() async throws {
        let scene = try LiveScene(feed: nil)
        let gate = Gate()
        scene.api.answers(.value("[1]").after(gate))
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.next()
        await scene.api.reads(atLeast: 1)
        _ = try await scene.friends.remove(scene.key)
        gate.open()

        let last = try #require(await watch.until { !$0.status.isLoading })
        #expect(last.entry == nil)
    }

    @Test func `a stream with many gaps loads the list once a second at most`() async throws {
        let scene = try LiveScene { $0.sequence = .init("/s") }
        var (watch, connection) = try await scene.watching()
        let reads = scene.api.count(of: .reads)
        let gate = Gate()
        scene.api.answers { _ in .value("[]").after(gate) }
        for number in 1...1_000 { connection.send(#"{"id":1,"s":\#(number * 2)}"#) }
        await scene.api.reads(atLeast: reads + 1)
        #expect(scene.api.count(of: .reads) == reads + 1)
        gate.open()

        #expect(await scene.ticking { await watch.until("[]") } != nil)
        #expect(scene.api.count(of: .reads) <= reads + 2)
    }

    @Test func `a source that begins at once is live all the same`() async throws {
        final class Prompt: LiveSource {
            func channel(for key: Key) throws -> String { "" }

            func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
                listener.begin()
                listener.begin()
                try await PipelineClock.system.sleep(for: .seconds(3_600))
                return LiveEnding(.ended, "")
            }
        }
        let api = StubOrigin("api", clock: .system, answering: "[1]")
        for _ in 0..<50 {
            let pipeline = try DataPipeline(
                PipelineSpec("friends", tiers: [TierSpec(SourceSpec("api", api))], live: [FeedSpec(SourceSpec("prompt", Prompt()))]))
            var watch = Watch(pipeline.snapshots(try pipeline.key()))
            #expect(await watch.until { $0.status.feeds.first?.state == .live } != nil)
            await pipeline.shutDown()
        }
    }

    @Test func `an expired copy will do to merge changes into while the origin is down`() async throws {
        let scene = try LiveScene()
        scene.disk.hold("[{\"id\":1,\"n\":\"old\"}]", for: scene.key, freshFor: .seconds(1))
        scene.time.advance(by: .seconds(2))
        scene.api.answers(.error())
        var watch = Watch(scene.friends.snapshots(scene.key))
        let old = try #require(await watch.until { $0.entry != nil })
        #expect(old.status.isStale && old.status.error != nil)
        let connection = try await scene.events.connection(1)
        connection.begin()
        connection.send(#"{"id":1,"n":"new"}"#)

        #expect(await watch.until(#"[{"id":1,"n":"new"}]"#) != nil)
    }

    @Test func `changes that are merged are written before a shut down ends`() async throws {
        let scene = try LiveScene()
        let (watch, connection) = try await scene.watching()
        scene.time.advance(by: .seconds(2))
        await scene.disk.finished(.writes, atLeast: 1)
        connection.send(#"{"id":2,"n":"B"}"#)
        await scene.pipelines.shutDown()

        #expect(scene.disk.text(for: scene.key) == #"[{"id":1,"n":"a"},{"id":2,"n":"B"}]"#)
        #expect(!watch.taken.isEmpty)
    }

    @Test func `a feed of a source that reports no changes is refused`() throws {
        let memory = SourceSpec("memory", MemorySource())
        #expect(throws: UsageError.notAChangeSource("memory", pipeline: "friends")) {
            try DataPipeline(PipelineSpec("friends", tiers: [TierSpec(memory)], live: [FeedSpec(memory)]))
        }
    }
}
