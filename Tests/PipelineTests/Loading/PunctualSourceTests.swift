import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// A cache whose answer comes when the test gives it, and that keeps the time limit of a read itself.
private final class ScriptedPunctual: WritableSource {
    let answer = Race<Entry?>()
    private let clock: PipelineClock
    private let state = Mutex((ends: [Timestamp](), leftCount: 0))

    init(_ clock: PipelineClock) {
        self.clock = clock
    }

    /// Until when each read was to be made.
    var ends: [Timestamp] { state.withLock(\.ends) }
    /// How many reads were told to end before they had their answer.
    var leftCount: Int { state.withLock(\.leftCount) }

    var style: ReadStyle { .punctual }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let end = try #require(context.deadline, "it was read without a limit")
        state.withLock { $0.ends.append(end) }
        return try await answer.value(until: end, on: clock) { self.state.withLock { $0.leftCount += 1 } }
    }

    func write(_ entry: Entry, for key: Key) async throws {}
    func remove(_ key: Key) async throws {}
    func clear(pipeline: String) async throws {}
}

@Suite struct PunctualSourceTests {
    private let time = ManualClock()
    private let source: ScriptedPunctual
    private let loader: Loader
    private let key = Key(pipeline: "friends")

    init() {
        let source = ScriptedPunctual(time.clock)
        self.source = source
        var policy = TierPolicy()
        policy.timeout = .milliseconds(500)
        loader = Tier("shared", source, policy: policy, clock: time.clock).loader()
    }

    @Test func `an answer in time is the reply, and nothing waits any more`() async throws {
        let begin = time.now
        async let reply = loader(Call(key))
        await time.sleepers(atLeast: 1)

        source.answer.finish(.success(Entry(Array("[1]".utf8), created: begin)))

        #expect(try await reply.attempts.map(\.outcome) == [.hit])
        #expect(source.ends == [begin + .milliseconds(500)])
        #expect(time.sleeperCount == 0)
        #expect(source.leftCount == 0)
    }

    @Test func `TO-03 at its limit, not before, the read is a timeout in the words of any other`() async throws {
        async let reply = loader(Call(key))
        await time.sleepers(atLeast: 1)

        time.advance(by: .milliseconds(499))
        #expect(time.sleeperCount == 1)
        time.advance(by: .milliseconds(1))

        let attempt = try #require(try await reply.attempts.first)
        #expect(attempt.outcome == .timeout)
        #expect(attempt.reason == "no answer within 500ms")
        #expect(attempt.duration == .milliseconds(500))
        #expect(source.leftCount == 1)
    }

    @Test func `what is left until the deadline is the limit where that is less`() async throws {
        async let reply = loader(Call(key, deadline: time.now + .milliseconds(100)))
        await time.sleepers(atLeast: 1)

        time.advance(by: .milliseconds(100))

        let late = try await reply
        #expect(late.isPastDeadline)
        #expect(late.attempts.first?.reason == "no answer within the 100ms left until the deadline")
    }

    @Test func `a deadline that is over leaves the source unasked`() async throws {
        let reply = try await loader(Call(key, deadline: time.now))

        #expect(reply.attempts.first?.reason == "no time left until the deadline")
        #expect(source.ends.isEmpty)
    }

    @Test func `CA-01 who is cancelled leaves at once, and the read is told`() async throws {
        let task = Task { [loader, key] in try await loader(Call(key)) }
        await time.sleepers(atLeast: 1)

        task.cancel()

        #expect(source.leftCount == 1)
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.sleeperCount == 0)
    }

    @Test func `CO-07 a cancellation of the source's own is an error`() async throws {
        source.answer.finish(.failure(CancellationError()))

        let reply = try await loader(Call(key))

        #expect(reply.attempts.map(\.outcome) == [.error])
    }

    @Test(arguments: [nil, RetryPolicy(attempts: 2)]) func `what stands around an attempt stands around a read that keeps its limit, too`(
        retry: RetryPolicy?
    ) async throws {
        let begun = Mutex(0)
        var policy = TierPolicy()
        policy.retry = retry
        source.answer.finish(.success(Entry(Array("[1]".utf8), created: time.now)))

        let reply = try await Tier("shared", source, policy: policy, clock: time.clock).loader { reading in
            Loader(reading.name) { call, trail, standing in
                begun.withLock { $0 += 1 }
                return try await reading.load(call, trail, standing)
            }
        }(Call(key))

        #expect(reply.attempts.map(\.outcome) == [.hit])
        #expect(begun.withLock(\.self) == 1)
    }

    @Test(arguments: [ReadStyle.suspending, .punctual]) func `an origin confirms the copy below it, however it keeps its limit`(
        style: ReadStyle
    ) async throws {
        let (origin, disk) = (StubOrigin("api", clock: time.clock), StubSource("disk", clock: time.clock))
        let held = Entry(Array("[1]".utf8), created: time.now, stored: time.now, etag: "\"1\"", source: "api")
        disk.hold(held, for: key)
        origin.answers(.entry(held))
        let tiers = [
            TierSpec(SourceSpec("api", StyledOrigin(origin: origin, style: style), capabilities: [.limitsFreshness])),
            TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]), ttl: .seconds(60)),
        ]
        let friends = try Pipelines([PipelineSpec("friends", tiers: tiers)], clock: time.clock).pipeline(named: "friends")

        let outcome = try await friends.fetch(key)

        #expect(outcome.attempts.map(\.source) == ["api"])
        #expect(origin.notModifiedCount == 1)
    }
}

/// An origin that is read in this way.
private struct StyledOrigin: Source {
    let origin: StubOrigin
    let style: ReadStyle

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await origin.read(key, context) }
}
