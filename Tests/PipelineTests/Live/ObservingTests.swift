import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineLive

/// What observers see of a value that no feed changes.
@Suite(.timeLimit(.minutes(15))) struct ObservingTests {
    @Test func `the first snapshot comes at once and says that a load runs, the next has the value`() async throws {
        let scene = try LiveScene(feed: nil)
        let gate = Gate()
        scene.api.answers(.value("[1]").after(gate))
        var watch = Watch(scene.friends.snapshots(scene.key))

        let first = try #require(await watch.next())
        #expect(first.entry == nil)
        #expect(first.revision == 0)
        #expect(first.status.isLoading)
        gate.open()
        let second = try #require(await watch.next())
        #expect(second.text == "[1]")
        #expect(second.revision == 1)
        #expect(second.changes == .reset)
        #expect(!second.status.isLoading && !second.status.isRefreshing)
    }

    @Test func `a value that memory has is in the first snapshot`() async throws {
        let scene = try LiveScene(feed: nil)
        _ = try await scene.friends.fetch(scene.key)
        var watch = Watch(scene.friends.snapshots(scene.key))

        let first = try #require(await watch.next())

        #expect(first.text == #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#)
        #expect(first.status == LiveStatus())
        #expect(scene.api.count(of: .reads) == 1)
    }

    @Test func `ST-06, ST-12 fetches, puts and removals of others are seen, an equal value is not`() async throws {
        let scene = try LiveScene(feed: nil)
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil }

        _ = try await scene.friends.fetch(scene.key, policy: .refresh)
        scene.api.answers("[7]")
        _ = try await scene.friends.fetch(scene.key, policy: .refresh)
        let seven = try #require(await watch.until { $0.text == "[7]" && !$0.status.isRefreshing })
        #expect(seven.revision == 2)
        _ = try await scene.friends.put(Array("[8]".utf8), for: scene.key)
        #expect(await watch.next()?.text == "[8]")
        _ = try await scene.friends.remove(scene.key)
        let removed = try #require(await watch.next())
        #expect(removed.entry == nil && !removed.isNotFound)
        #expect(removed.revision == 4)
    }

    @Test func `LV-41, ST-04 a load that fails is an error beside the value, and the next good one ends it`() async throws {
        let scene = try LiveScene(feed: nil)
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil }
        // The refresh would join the call that is about to end.
        await scene.friends.finishRefreshes()
        scene.api.answers(.error())
        _ = try await scene.friends.fetch(scene.key, policy: .refresh)

        let failed = try #require(await watch.until { $0.status.error != nil })
        #expect(failed.text == #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#)
        scene.api.answers("[3]")
        _ = try await scene.friends.fetch(scene.key, policy: .refresh)
        let good = try #require(await watch.until("[3]"))
        #expect(good.status.error == nil)
    }

    @Test func `the status names the source that the value was read from`() async throws {
        let scene = try LiveScene(feed: nil)
        scene.disk.hold("[1]", for: scene.key)
        var watch = Watch(scene.friends.snapshots(scene.key))
        #expect(await watch.until("[1]")?.status.source == "disk")

        // The same value from memory, which the disk filled, was read from the disk.
        _ = try await scene.friends.fetch(scene.key)
        scene.api.answers("[2]")
        _ = try await scene.friends.fetch(scene.key, policy: .refresh)
        #expect(await watch.until("[2]")?.status.source == "api")
        #expect(watch.taken.allSatisfy { $0.text != "[1]" || $0.status.source == "disk" })

        _ = try await scene.friends.put(Array("[3]".utf8), for: scene.key)
        let put = try #require(await watch.until("[3]"))
        #expect(put.status.source == nil)
    }

    @Test func `a value that the origin does not have is known to be none`() async throws {
        let scene = try LiveScene(feed: nil)
        scene.api.answers(.notFound)
        var watch = Watch(scene.friends.snapshots(scene.key))

        let snapshot = try #require(await watch.until { !$0.status.isLoading })

        #expect(snapshot.isNotFound && snapshot.entry == nil)
    }

    @Test func `a value is stale from the end of its last copy on`() async throws {
        let scene = try LiveScene(feed: nil)
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil && !$0.status.isRefreshing }

        scene.time.advance(by: .seconds(600))

        #expect(await watch.next()?.status.isStale == true)
    }

    @Test func `a shut down ends every sequence, and none begins afterwards`() async throws {
        let scene = try LiveScene(feed: nil)
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil }
        await scene.pipelines.shutDown()

        #expect(await watch.until { _ in false } == nil)
        var late = Watch(scene.friends.snapshots(scene.key))
        #expect(await late.next() == nil)
    }

    @Test func `a cancelled task takes no further snapshot`() async throws {
        let scene = try LiveScene(feed: nil)
        let snapshots = scene.friends.snapshots(scene.key)
        let task = Task {
            var watch = Watch(snapshots)
            return await watch.until { _ in false } == nil
        }
        await scene.api.finished(.reads, atLeast: 1)
        task.cancel()

        #expect(await task.value)
    }

    @Test func `an observer that left is forgotten, and its key five seconds later`() async throws {
        let scene = try LiveScene(feed: nil)
        var watch: Watch? = Watch(scene.friends.snapshots(scene.key))
        _ = await watch?.until { $0.entry != nil && !$0.status.isRefreshing }
        // What has landed is written when the load ends: a key is not forgotten before.
        await scene.friends.finishRefreshes()
        #expect(scene.friends.lives.keyCount == 1)
        watch = nil

        scene.time.advance(by: .milliseconds(4_999))
        #expect(scene.friends.lives.keyCount == 1)
        scene.time.advance(by: .milliseconds(1))
        #expect(scene.friends.lives.keyCount == 0)
    }

    @Test func `LV-39 an observer that is slow skips what came between`() async throws {
        let scene = try LiveScene(feed: nil)
        var watch = Watch(scene.friends.snapshots(scene.key))
        _ = await watch.until { $0.entry != nil && !$0.status.isRefreshing }

        for number in 1...1_000 { _ = try await scene.friends.put(Array("[\(number)]".utf8), for: scene.key) }

        let next = try #require(await watch.next())
        #expect(next.text == "[1000]")
        #expect(next.changes == .reset)
    }

    @Test func `the answer of a fetch that stores nothing is for its caller alone`() async throws {
        let scene = try LiveScene(list: "[1]", feed: nil)
        var watch = Watch(scene.friends.snapshots(scene.key))
        await watch.until("[1]")
        scene.api.answers("[2]")

        let outcome = try await scene.friends.fetch(scene.key, policy: .noStore)
        var other = Watch(scene.friends.snapshots(scene.key))

        #expect(try outcome.payload == Array("[2]".utf8))
        #expect(await other.next()?.text == "[1]")
    }
}
