import Pipeline
import PipelineConfig
import PipelineLive
import PipelineTesting
import PipelineYAML
import Testing

@testable import Pipeline
@testable import SourcesPoll

/// Polling, on a clock that the tests move.
@Suite(.timeLimit(.minutes(15))) struct PollSourceTests {
    private let time = ManualClock()

    /// Runs `body` while `source` polls. Each load waits until the test ends it.
    private func run(
        _ source: PollSource, _ body: @escaping (_ loads: AsyncStream<AsyncStream<Void>.Continuation>) async throws -> Void
    ) async throws {
        let (loads, load) = AsyncStream.makeStream(of: AsyncStream<Void>.Continuation.self)
        let (beginnings, begins) = AsyncStream.makeStream(of: Void.self)
        let listener = LiveListener(reload: {
            let (end, ends) = AsyncStream.makeStream(of: Void.self)
            load.yield(ends)
            for await _ in end {}
            try Task.checkCancellation()
        }) { event in
            if case .began = event { begins.finish() } else { Issue.record("\(event)") }
        }
        let task = Task { try await source.listen(for: Key(pipeline: "weather"), to: listener) }
        for await _ in beginnings {}
        await time.sleepers(atLeast: 1)
        try await body(loads)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func `a load comes after each pause, which counts from the end of the load before`() async throws {
        // Draws the middle of each range, which is the pause as it is declared.
        let source = PollSource(every: .seconds(30), clock: time.clock, random: RandomGenerator { 1 << 63 })
        let time = time

        try await run(source) { loads in
            var next = loads.makeAsyncIterator()
            for _ in 0..<3 {
                time.advance(by: .seconds(30) - .nanoseconds(1))
                #expect(time.sleeperCount == 1)
                time.advance(by: .nanoseconds(1))
                let load = try #require(await next.next())
                // However long it takes, there is no other.
                time.advance(by: .seconds(300))
                #expect(time.sleeperCount == 0)
                load.finish()
                await time.sleepers(atLeast: 1)
            }
        }
    }

    @Test func `pauses differ by up to 10 % in both directions`() async throws {
        for (number, pause) in [(UInt64(1 << 20), Duration.seconds(27)), (UInt64.max, .seconds(33))] {
            let time = ManualClock()
            let source = PollSource(every: .seconds(30), clock: time.clock, random: RandomGenerator { number })
            let task = Task { try await source.listen(for: Key(pipeline: "weather"), to: LiveListener { _ in }) }
            await time.sleepers(atLeast: 1)

            time.advance(by: pause - .nanoseconds(1))
            #expect(time.sleeperCount == 1)
            time.advance(by: .nanoseconds(1))
            #expect(time.sleeperCount == 0)

            task.cancel()
            _ = await task.result
        }
    }

    @Test func `keys are polled by themselves`() {
        let source = PollSource(every: .seconds(30))
        let keys = [Key(pipeline: "a"), Key(pipeline: "b"), Key(pipeline: "a", parameters: ["user": "1"])]

        #expect(Set(keys.map { source.channel(for: $0) }).count == 3)
    }

    @Test func `the plugin declares its field`() {
        #expect(SourcePlugin.poll.declarations.map(\.name) == ["every"])
        #expect(SourcePlugin.poll.capabilities == [.emitsChanges, .signalsOnly])
    }

    @Test(arguments: [("1s", []), ("999ms", ["P104"]), ("0s", ["P104"])] as [(String, [String])])
    func `a pause of less than a second is out of range`(every: String, codes: [String]) {
        let text = "version: 1\nsources:\n  tick: { type: poll, every: \(every) }\npipelines: {}\n"
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.poll], environment: ConfigEnvironment([:]))

        #expect(report.diagnostics.filter { $0.message.contains("every") }.map(\.code.rawValue) == codes)
    }
}
