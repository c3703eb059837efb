import Observation
import PipelineFoundation
import PipelineJSON
import PipelineObservation
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineLive

@MainActor @Suite(.timeLimit(.minutes(15))) struct LiveValueTests {
    private let snapshots: AsyncStream<Snapshot>
    private let server: AsyncStream<Snapshot>.Continuation

    init() {
        (snapshots, server) = AsyncStream<Snapshot>.makeStream()
    }

    private func made() -> LiveValue<[Int]> { LiveValue(snapshots.values(as: [Int].self)) }

    /// Returns when what `read` reads has changed.
    private func change(of read: @MainActor () -> Void) async {
        await withCheckedContinuation { continuation in
            withObservationTracking(read) { continuation.resume() }
        }
        // The change is announced before it is made, and made before anything else runs on the main actor.
    }

    @Test func `value and status are those of the newest snapshot`() async {
        let live = made()
        #expect(live.value == nil && live.status == LiveStatus() && live.error == nil)

        server.yield(.made(0, nil, isLoading: true))
        await change { _ = live.status }
        #expect(live.value == nil && live.status.isLoading)

        server.yield(.made(1, "[1]"))
        await change { _ = live.value }
        #expect(live.value == [1] && !live.status.isLoading)

        server.yield(.made(1, "[1]", changes: .none, error: .made))
        await change { _ = live.error }
        #expect(live.value == [1] && live.error is LoadError)

        server.yield(.made(2, "[2]"))
        await change { _ = live.error }
        #expect(live.value == [2] && live.error == nil)
    }

    @Test func `a change of the status alone leaves alone what reads the value`() async {
        let live = made()
        server.yield(.made(1, "[1]"))
        await change { _ = live.value }
        let isTold = Gate()
        withObservationTracking {
            _ = live.value
        } onChange: {
            isTold.open()
        }

        server.yield(.made(1, "[1]", changes: .none, isLoading: true))
        await change { _ = live.status }
        #expect(!isTold.isOpen)

        server.yield(.made(2, "[2]"))
        await change { _ = live.value }
        #expect(isTold.isOpen)
    }

    @Test func `it ends the observation when it is released`() async throws {
        let ended = Gate()
        server.onTermination = { _ in ended.open() }
        var live: LiveValue<[Int]>? = made()
        weak let released = live
        server.yield(.made(1, "[1]"))
        await change { _ = live?.value }

        live = nil

        #expect(released == nil)
        try await ended.wait()
    }

    @Test func `one that is released before the first snapshot ends the observation, too`() async throws {
        let ended = Gate()
        server.onTermination = { _ in ended.open() }

        _ = made()

        try await ended.wait()
    }

    @Test func `it shows one element as well`() async {
        let live = LiveValue(snapshots.element("7", as: Int.self))

        server.yield(.made(1, "", elements: ["7": "70", "8": "80"]))
        await change { _ = live.value }

        #expect(live.value == 70)
    }

    private struct Friend: Decodable {
        let id: Int
        let n: String
    }

    @Test func `LV-42 a pipeline is observed until it is released, and its feed ends after that`() async throws {
        let scene = try LiveScene(list: #"[{"id":1,"n":"a"}]"#)
        var live: LiveValue<[Friend]>? = try LiveValue(scene.friends)
        let connection = try await scene.events.connection(1)
        connection.begin()
        while live?.status.feeds.first?.state != .live || live?.status.isRefreshing == true { await change { _ = live?.status } }

        connection.send(#"{"id":1,"n":"b"}"#)
        while live?.value?.first?.n != "b" { await change { _ = live?.value } }
        #expect(scene.friends.lives.keyCount == 1)
        live = nil
        while connection.isOpen {
            scene.time.advance(by: LiveKeys.linger)
            await Task.yield()
        }

        #expect(connection.isCancelled && scene.friends.lives.keyCount == 0)
    }

    @Test func `one element of a pipeline's list is nil when it is gone`() async throws {
        let operations = MergePolicy.Operations(
            at: .pointer(try #require(JSONPointer("/op"))), upsert: ["put"], delete: ["drop"])
        let scene = try LiveScene { $0.merging?.operations = operations }
        let live = LiveValue(scene.friends.snapshots(scene.key).element("2", as: Friend.self))
        let connection = try await scene.events.connection(1)
        connection.begin()
        while live.status.feeds.first?.state != .live || live.value == nil { await change { (_, _) = (live.status, live.value) } }
        #expect(live.value?.n == "b")

        connection.send(#"{"op":"drop","id":2}"#)
        while live.value != nil { await change { _ = live.value } }

        #expect(live.error == nil)
        await scene.pipelines.shutDown()
    }

    @Test func `arguments that the pipeline does not have are refused`() throws {
        let time = ManualClock()
        let pipeline = try DataPipeline(
            PipelineSpec("friends", tiers: [TierSpec(SourceSpec("api", StubOrigin(clock: time.clock)))]), clock: time.clock)

        #expect(throws: UsageError.self) { try LiveValue(pipeline, ["usr": "1"], as: [Int].self) }
    }
}
