import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// What a failure says about another try, and what comes of it.
@Suite struct RetryAdviceTests {
    private let time = ManualClock()
    private let api: StubOrigin
    private let key = Key(pipeline: "friends")

    init() { api = StubOrigin("api", clock: time.clock) }

    private static func failure(_ advice: RetryAdvice) -> SourceError {
        var error = SourceError("status 503")
        error.retry = advice
        return error
    }

    /// A failure that pays for each try, and takes back what was paid for one that is not made.
    private static func paying(from budget: Questions) -> RetryAdvice {
        RetryAdvice.later {
            budget.note()
            return nil
        }
        .givingBack { budget.forget() }
    }

    /// The reply of a tier with its retries, on a clock that moves while the load sleeps.
    ///
    /// - Returns: the reply, and when it came.
    private func load(
        _ policy: RetryPolicy = RetryPolicy(attempts: 3, base: .seconds(1)), deadline: Duration? = nil, random: UInt64 = .max,
        timeout: Duration? = nil
    ) async throws -> (attempt: Attempt?, after: Duration) {
        var tier = TierPolicy()
        tier.retry = policy
        tier.timeout = timeout
        let begin = time.clock.now
        let loader = Tier("api", api, policy: tier, clock: time.clock, random: RandomGenerator { random }).loader()
        let task = Task { [key] in try await loader(Call(key, deadline: deadline.map { begin + $0 })) }
        let moving = Task { [time] in
            while !Task.isCancelled {
                // The time limit sleeps always, and a pause beside it.
                if time.sleeperCount > 1 { time.advance(by: .milliseconds(1)) }
                await Task.yield()
            }
        }
        defer { moving.cancel() }
        let reply = try await task.value
        return (reply.attempts.last, reply.attempts.last?.duration ?? .zero)
    }

    @Test func `a request that was surely not processed is repeated at once, once, and not counted`() async throws {
        api.answers(.error(Self.failure(.atOnce)), "[1]")

        let (attempt, after) = try await load()

        #expect(attempt?.outcome == .hit)
        #expect(attempt?.tries == 1)
        #expect(after == .zero)
        #expect(api.readCount == 2)
    }

    @Test func `the second such failure in a row counts, and has its pause`() async throws {
        api.answers(.error(Self.failure(.atOnce)), .error(Self.failure(.atOnce)), "[1]")

        let (attempt, after) = try await load()

        #expect(attempt?.tries == 2)
        #expect(after == .seconds(1))
        #expect(api.readCount == 3)
    }

    @Test func `the try that is made at once costs nothing, the next one has to be paid`() async throws {
        api.answers(.error(Self.failure(.atOnce { "no more" })))

        let attempt = try await load().attempt

        #expect(api.readCount == 2)
        #expect(attempt?.reason?.hasSuffix("no more") == true)
    }

    @Test func `a failure that another try cannot change stands`() async throws {
        api.answers(.error(Self.failure(.never())))

        #expect(try await load().attempt?.tries == 1)
    }

    @Test(arguments: [(UInt64.max, Duration.seconds(3)), (1, .zero)])
    func `CB-07 the pauses are random between nothing and the doubled base`(random: UInt64, sum: Duration) async throws {
        api.answers(.error(Self.failure(.later())))

        let (attempt, after) = try await load(random: random)

        #expect(attempt?.tries == 3)
        #expect(after == sum)
    }

    @Test func `the failure may ask for a longer base, up to the longest wait`() async throws {
        api.answers(.error(Self.failure(.later(base: .seconds(1)))))

        #expect(try await load(RetryPolicy(attempts: 3, base: .milliseconds(10))).after == .seconds(3))
        #expect(try await load(RetryPolicy(attempts: 3, base: .milliseconds(10), max: .milliseconds(15))).after == .milliseconds(30))
    }

    @Test func `a try is not made before the moment that was asked for`() async throws {
        api.answers(.error(Self.failure(.later(notBefore: time.clock.now + .seconds(7)))), "[1]")

        let (attempt, after) = try await load(random: 1)

        #expect(attempt?.outcome == .hit)
        #expect(after == .seconds(7))
    }

    @Test func `NC-20 what was asked to wait past the deadline fails at once, and says for how long`() async throws {
        api.answers(.error(Self.failure(.later(notBefore: time.clock.now + .seconds(10)))))

        let (attempt, after) = try await load(deadline: .seconds(2))

        #expect(after == .zero)
        #expect(attempt?.outcome == .error)
        #expect(attempt?.reason == "status 503, asked to wait 10s")
    }

    @Test func `the time limit of the tier ends such a wait in the same way`() async throws {
        api.answers(.error(Self.failure(.later(notBefore: time.clock.now + .seconds(10)))))

        let (attempt, after) = try await load(timeout: .seconds(5))

        #expect(after == .zero)
        #expect(attempt?.reason == "status 503, asked to wait 10s")
    }

    @Test func `a random pause that would outlast the time of the tier is not begun, and the failure stands`() async throws {
        api.answers(.error(Self.failure(.later())))

        let (attempt, after) = try await load(timeout: .milliseconds(900))

        #expect(after == .zero)
        #expect(attempt?.outcome == .error)
        #expect(attempt?.reason == "status 503")
    }

    @Test func `a rest that began in the pause prolongs it, and the try that it refused costs nothing`() async throws {
        let budget = Questions()
        let refusal = SourceError("asked to wait 4s", kind: .skipped, retry: .never(before: time.clock.now + .seconds(5)))
        api.answers(.error(Self.failure(Self.paying(from: budget))), .error(refusal), "[1]")

        let (attempt, after) = try await load(RetryPolicy(attempts: 2, base: .seconds(1)))

        #expect(attempt?.outcome == .hit)
        #expect(attempt?.tries == 2)
        #expect(after == .seconds(5))
        #expect(budget.count == 1)
    }

    @Test(arguments: [
        SourceError("asked to wait 4s", kind: .skipped), SourceError("2 requests wait already, no more may", kind: .unasked),
    ])
    func `a try that is refused before it is sent leaves the earlier failure, and costs nothing`(refusal: SourceError) async throws {
        let budget = Questions()
        api.answers(.error(Self.failure(Self.paying(from: budget))), .error(refusal))

        let (attempt, after) = try await load()

        #expect(attempt?.outcome == .error)
        #expect(attempt?.reason == "status 503, not tried again: \(refusal.reason)")
        #expect(attempt?.tries == 1)
        #expect(after == .seconds(1))
        #expect(budget.count == 0)
    }

    @Test func `a rest that began in the pause and outlasts the time of the tier leaves the earlier failure`() async throws {
        let budget = Questions()
        let refusal = SourceError("asked to wait 9s", kind: .skipped, retry: .never(before: time.clock.now + .seconds(10)))
        api.answers(.error(Self.failure(Self.paying(from: budget))), .error(refusal))

        let (attempt, after) = try await load(timeout: .seconds(5))

        #expect(attempt?.reason == "status 503, not tried again: asked to wait 9s")
        #expect(after == .seconds(1))
        #expect(budget.count == 0)
    }

    @Test func `a fetch that is cancelled in the pause costs nothing`() async throws {
        let budget = Questions()
        api.answers(.error(Self.failure(Self.paying(from: budget))))
        var tier = TierPolicy()
        tier.retry = RetryPolicy(attempts: 2, base: .seconds(1))
        let loader = Tier("api", api, policy: tier, clock: time.clock, random: RandomGenerator { .max }).loader()
        let task = Task { [key] in try await loader(Call(key)) }
        try await yieldUntil { budget.count != 0 }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(budget.count == 0)
    }

    @Test func `a pause that would end past the deadline is not begun, and costs nothing`() async throws {
        let asked = Questions()
        api.answers(
            .error(
                Self.failure(
                    .later {
                        asked.note()
                        return nil
                    })))

        let (attempt, after) = try await load(deadline: .milliseconds(900))

        #expect(after == .zero)
        #expect(attempt?.reason == "status 503")
        #expect(asked.count == 0)
    }

    @Test func `NC-21 without the means for another try the first failure stands, with the reason`() async throws {
        let asked = Questions()
        api.answers(
            .error(
                Self.failure(
                    .later {
                        asked.note()
                        return "no retry: the budget of 20% is used up"
                    })))

        let (attempt, after) = try await load()

        #expect(asked.count == 1)
        #expect(after == .zero)
        #expect(attempt?.tries == 1)
        #expect(attempt?.reason == "status 503, no retry: the budget of 20% is used up")
    }

    @Test(arguments: [
        (SourceError("asked to wait 19s", kind: .skipped), "network: skipped"),
        (SourceError("the queue is full", kind: .unasked), "network: error"),
    ])
    func `a source that was not asked is not tried again, and opens no circuit`(error: SourceError, trace: String) async throws {
        let scene = try Scene(
            "tiers: [{ source: network, retry: { attempts: 3, base: 1ms }, circuit_breaker: { failures: 1, open_for: 2s } }]")
        scene.network.answers(.error(error))

        for user in 0..<3 {
            let outcome = try await scene.friends.fetch(["user": "\(user)"])
            #expect(outcome.trace == trace)
            #expect(outcome.attempts.first?.reason == error.reason)
        }

        #expect(scene.network.readCount == 3)
    }

    @Test func `a probe that was not made leaves it to the next fetch`() async throws {
        let scene = try Scene("tiers: [{ source: network, circuit_breaker: { failures: 1, open_for: 2s } }]")
        scene.network.answers(.error(SourceError("down")), .error(SourceError("asked to wait 1s", kind: .skipped)), "[1]")
        _ = try await scene.friends.fetch(["user": "0"])
        scene.time.advance(by: .seconds(2))

        #expect(try await scene.friends.fetch(["user": "1"]).attempts.first?.reason == "asked to wait 1s")
        #expect(try await scene.friends.fetch(["user": "2"]).trace == "network: hit")
    }
}

/// How often a failure was asked.
private final class Questions: Sendable {
    private let asked = Atomic(0)

    var count: Int { asked.load(ordering: .relaxed) }

    func note() { asked.add(1, ordering: .relaxed) }

    func forget() { asked.subtract(1, ordering: .relaxed) }
}
