extension Loader {
    /// Gives the loader at most `limit` to answer, and no more than is left until the deadline of the call.
    ///
    /// At the limit the load is cancelled and left behind: a load that ignores its cancellation delays no caller.
    package func timingOut(after limit: Duration, clock: PipelineClock) -> Loader {
        timingOut(after: limit, clock: clock) { _ in false }
    }

    /// - Parameter mayBlock: whether the load of a call may block its thread, which then is not the caller's.
    func timingOut(after limit: Duration, clock: PipelineClock, where mayBlock: @escaping @Sendable (Call) -> Bool) -> Loader {
        Loader(name) { call, trail, standing in
            // A load that was cancelled between two tiers does not touch the next.
            try Task.checkCancellation()
            let limit = TimeLimit(limit, for: call, since: standing.attempt.since ?? clock.now)
            if limit.isOver { return limit.reply(of: name, at: limit.begin) }

            var timed = standing
            timed.attempt.end = limit.end
            return try await clock.race(
                until: limit.end, elsewhere: mayBlock(call), late: { limit.reply(of: name, at: clock.now) }
            ) { [timed] in
                let reply = try await load(call, trail, timed)
                // A source that keeps the limit itself fails when it has passed: that is a timeout, whichever comes first.
                return reply.hasFailed && limit.end <= clock.now ? limit.reply(of: name, at: clock.now) : reply
            }
        }
    }
}

extension Loader {
    /// Tries a failed load again, as `policy` and the failure say (``SourceError/retry``). The tier still makes one attempt, which names how
    /// often it was tried.
    ///
    /// Misses, expired copies and `not_found` are answers; only errors, timeouts and invalid payloads are tried again. The pauses are random,
    /// so that many that failed together do not come again together.
    ///
    /// A try that is refused before it is sent is none: a rest that began in the pause is waited for, else the earlier failure stands.
    ///
    /// - Parameter limit: the time that all tries have together; nil without a limit. A stage around each try has to keep it.
    package func retrying(
        _ policy: RetryPolicy, within limit: Duration? = nil, clock: PipelineClock, random: RandomGenerator = .system
    ) -> Loader {
        Loader(name) { call, trail, standing in
            let begin = standing.attempt.since ?? clock.now
            let limit = limit.map { TimeLimit($0, for: call, since: begin) }
            var standing = standing
            standing.attempt.since = begin
            standing.attempt.isRepeatedAtOnce = true
            var tries = Tries(policy, until: limit?.end ?? call.deadline, random: random)
            var reply = try await load(call, trail, standing)
            // Without what was found before the load: that is what failed.
            let again = trail.unasked
            var refused: LoadReply?
            while reply.hasFailed {
                switch tries.next(after: reply, refused: refused, at: clock.now) {
                case .end(let reason):
                    return reply.tried(tries.count, for: clock.now.duration(since: begin), andNotAgain: refused?.refusalReason ?? reason)
                case .pause(let pause):
                    let late = await Result { try await pausing(for: pause, within: limit, clock: clock) }
                    if case .success(nil) = late { break }
                    tries.takeBack()
                    if let reply = try late.get() { return reply.tried(tries.count, for: clock.now.duration(since: begin)) }
                }
                standing.attempt.isRepeatedAtOnce = !tries.wasRepeated
                let next = try await load(call, again, standing)
                if next.isUnasked {
                    tries.takeBack()
                    refused = next
                } else {
                    (reply, refused) = (next, nil)
                }
            }
            return reply.tried(tries.count, for: clock.now.duration(since: begin))
        }
    }

    /// Waits before another try. Returns a reply when the time is over by then.
    private func pausing(for pause: Duration, within limit: TimeLimit?, clock: PipelineClock) async throws -> LoadReply? {
        let late = try await clock.race(until: limit?.end, late: { limit?.reply(of: name, at: clock.now) }) {
            try await clock.sleep(for: pause)
            return nil
        }
        // Both may end at the same moment.
        if late == nil, let limit, limit.end <= clock.now { return limit.reply(of: name, at: clock.now) }
        return late
    }
}

/// The tries of one load, so far.
private struct Tries {
    enum Step {
        /// There is no further try; the reason where there is more to say than the failure does.
        case end(String?)
        case pause(Duration)
    }

    private(set) var count = 1
    /// Whether the one try was made that needs no pause.
    private(set) var wasRepeated = false
    /// Gives back what the next try costs; nil for one that is free.
    private var giveBack: (@Sendable () -> Void)?
    private let policy: RetryPolicy
    private let end: Timestamp?
    private var random: RandomGenerator

    /// - Parameter end: when the time of all tries is over; nil without a limit.
    init(_ policy: RetryPolicy, until end: Timestamp?, random: RandomGenerator) {
        self.policy = policy
        self.end = end
        self.random = random
    }

    /// - Parameter refused: the reply to the try after `reply`, where that was not sent.
    mutating func next(after reply: LoadReply, refused: LoadReply?, at now: Timestamp) -> Step {
        giveBack = nil
        if reply.isRefusedByCircuit { return .end(nil) }
        if let end, end <= now { return .end(nil) }
        let rest = refused?.retryAdvice.earliest
        // Only a rest is worth another wait.
        if refused != nil, (rest ?? now) <= now { return .end(nil) }
        let advice = reply.retryAdvice
        switch advice.moment {
        case .never: return .end(nil)
        case .atOnce where !wasRepeated && reply.circuitReason == nil:
            wasRepeated = true
            return .pause(.zero)
        case .atOnce: return later(notBefore: rest, base: .zero, after: reply, at: now)
        case .later(let moment, let base):
            return later(notBefore: [moment, rest].compactMap(\.self).max(), base: base, after: reply, at: now)
        }
    }

    private mutating func later(notBefore moment: Timestamp?, base: Duration, after reply: LoadReply, at now: Timestamp) -> Step {
        guard count < policy.attempts else { return .end(nil) }
        if let reason = reply.circuitReason { return .end(reason) }
        let longest = policy.delay(after: count, base: base).saturatedNanoseconds
        let drawn = Duration.nanoseconds(longest > 0 ? Int64.random(in: 0...longest, using: &random) : 0)
        let asked = moment.map { max(.zero, $0.duration(since: now)) } ?? .zero
        // What was asked for does not get shorter by trying; it may be longer than the tier has.
        if asked > .zero, let end, now + asked >= end { return .end("asked to wait \(asked.roundedUp)") }
        let pause = max(drawn, asked)
        // A try that comes too late would hide why this one failed.
        if let end, now + pause >= end { return .end(nil) }
        if let refusal = reply.retryAdvice.refusal() { return .end(refusal) }
        count += 1
        giveBack = reply.retryAdvice.giveBack
        return .pause(pause)
    }

    /// The try after the pause is not made: it does not count, and costs nothing.
    mutating func takeBack() {
        guard let giveBack else { return }
        giveBack()
        self.giveBack = nil
        count -= 1
    }
}

extension LoadReply {
    /// Why the source was not asked again, as the end of what an earlier failure says.
    fileprivate var refusalReason: String? { circuitReason ?? attempts.last?.reason.map { "not tried again: \($0)" } }

    fileprivate func tried(_ tries: Int, for duration: Duration, andNotAgain reason: String? = nil) -> LoadReply {
        guard tries > 1 || reason != nil, var attempt = attempts.last else { return self }
        var copy = self
        for more in [reason, tries > 1 ? "tried \(tries) times" : nil] { if let more { attempt.add(reason: more) } }
        (attempt.duration, attempt.tries) = (duration, tries)
        copy.attempts = [attempt]
        return copy
    }
}
