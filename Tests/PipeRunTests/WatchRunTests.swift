import ArgumentParser
import Pipeline
import PipelineJSON
import PipelineLive
import PipelineTesting
import Testing

@testable import PipeRunKit

/// `watch` over a change source that the test plays.
@Suite struct WatchRunTests {
    private let time = ManualClock()
    private let ownTime = ManualClock()
    private let events = LiveStub()
    private let origin: StubOrigin
    private let pipelines: Pipelines
    private let friends: DataPipeline
    private let lines: AsyncStream<String>
    private let out: AsyncStream<String>.Continuation
    private let status: AsyncStream<String>
    private let told: AsyncStream<String>.Continuation
    private let left = Gate()

    init() throws {
        origin = StubOrigin("api", clock: time.clock, answering: #"[{"id":1}]"#)
        (lines, out) = AsyncStream.makeStream()
        (status, told) = AsyncStream.makeStream()
        let merging = MergePolicy(id: [try #require(JSONPointer("/id"))], insertion: .last)
        let spec = PipelineSpec(
            "friends",
            tiers: [
                TierSpec(SourceSpec("memory", StubSource("memory", clock: time.clock)), ttl: .seconds(60)),
                TierSpec(SourceSpec("api", origin)),
            ], live: [FeedSpec(SourceSpec("events", events), merging: merging)])
        pipelines = try Pipelines([spec], clock: time.clock)
        friends = try pipelines.pipeline(named: "friends")
    }

    private func start(
        _ output: WatchOutput, count: Int? = nil, limit: Duration? = nil, write: (@Sendable (String) async -> Bool)? = nil
    ) throws -> Task<ExitCode?, Never> {
        let run = WatchRun(
            snapshots: try friends.snapshots(),
            printer: WatchPrinter(friends.spec, output: output, redactor: Redactor(), clock: time.clock),
            count: count, limit: limit, clock: ownTime.clock,
            write: write ?? { [out] in
                out.yield($0)
                return true
            },
            tell: { [told] in told.yield($0) },
            waitForReaderToLeave: { [left] in try? await left.wait() })
        return Task { await run.run() }
    }

    /// Returns when people were told this.
    private func isTold(_ text: String) async {
        for await line in status where line.contains(text) { return }
    }

    private func next() async -> String? {
        var iterator = lines.makeAsyncIterator()
        return await iterator.next()
    }

    @Test func `a list is printed, then what changes in it, up to as many values as asked`() async throws {
        let running = try start(.changes, count: 4)
        #expect(await next() == #"{"revision":1,"op":"reset","value":[{"id":1}]}"#)
        let connection = try await events.connection(1)
        connection.begin()
        await isTold("events: live")

        connection.send(#"{"id":2}"#)
        #expect(await next() == #"{"revision":2,"op":"insert","id":"2","at":1,"item":{"id":2}}"#)
        connection.send(#"{ "id": 2, "n": 1 }"#)
        #expect(await next() == #"{"revision":3,"op":"update","id":"2","item":{"id":2,"n":1},"old":{"id":2}}"#)
        connection.send(#"{"id":1,"n":5}"#)

        #expect(await running.value == nil)
        #expect(await next() == #"{"revision":4,"op":"update","id":"1","item":{"id":1,"n":5},"old":{"id":1}}"#)
        await pipelines.shutDown()
    }

    @Test func `the list is right again after a change that was missed, and people are told of the connection`() async throws {
        let running = try start(.raw)
        #expect(await next() == #"[{"id":1}]"#)
        let connection = try await events.connection(1)
        connection.begin()
        await isTold("events: live")

        origin.answers(#"[{"id":1},{"id":9}]"#)
        connection.end(LiveEnding(.lost, "gone"))
        await isTold("events: down (gone), again in ")
        while events.connections.count < 2 {
            time.advance(by: .seconds(1))
            await Task.yield()
        }
        try await events.connection(2).begin()

        #expect(await next() == #"[{"id":1},{"id":9}]"#)
        left.open()
        #expect(await running.value == nil)
        await pipelines.shutDown()
    }

    @Test func `the time ends it: with 0 after a value, with 1 without one`() async throws {
        let filled = try start(.raw, limit: .seconds(30))
        _ = await next()
        await ownTime.sleepers(atLeast: 1)
        ownTime.advance(by: .seconds(30))
        #expect(await filled.value == nil)
        await pipelines.shutDown()

        let empty = try WatchRunTests()
        let gate = Gate()
        empty.origin.delay(.reads, until: gate)
        let running = try empty.start(.raw, limit: .seconds(30))
        await empty.ownTime.sleepers(atLeast: 1)
        empty.ownTime.advance(by: .seconds(30))
        #expect(await running.value == ExitStatus.no)
        await empty.pipelines.shutDown()
    }

    @Test func `it ends when nothing more can be written`() async throws {
        let running = try start(.raw, write: { _ in false })

        #expect(await running.value == nil)
        await pipelines.shutDown()
    }
}
