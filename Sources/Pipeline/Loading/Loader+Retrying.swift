extension Loader {
    /// Tries a failed load again, as `policy` and the failure say (``SourceError/retry``). The tier still makes one attempt, which names how
    /// often it was tried.
    ///
    /// Misses, expired copies and `not_found` are answers; only errors, timeouts and invalid payloads are tried again. The pauses are random,
    /// so that many that failed together do not come again together.
    ///
    /// - Parameter limit: the time that all tries have together; nil without a limit. A stage around each try has to keep it.
    package func retrying(
        _ policy: RetryPolicy, within limit: Duration? = nil, clock: PipelineClock, random: RandomGenerator = .system
    ) -> Loader {
        Loader(name, begin: beginningOfAnswers) { request in
            let begin = clock.now
            let limit = limit.map { TimeLimit($0, for: request, since: begin) }
            var request = request
            request.tryingSince = begin
            request.isRepeatedAtOnce = true
            var tries = Tries(policy, until: limit?.end ?? request.deadline, random: random)
            var reply = try await load(request)
            // Without what was found before the load: that is what failed.
            request = request.unasked
            while reply.hasFailed {
                let made = tries.count
                switch tries.next(after: reply, at: clock.now) {
                case .end(let reason): return reply.tried(made, for: clock.now.duration(since: begin), andNotAgain: reason)
                case .pause(let pause):
                    if let late = try await pausing(for: pause, within: limit, clock: clock) {
                        return late.tried(made, for: clock.now.duration(since: begin))
                    }
                }
                request.isRepeatedAtOnce = !tries.wasRepeated
                let next = try await load(request)
                if next.isRefusedByCircuit {
                    return reply.tried(made, for: clock.now.duration(since: begin), andNotAgain: next.circuitReason)
                }
                reply = next
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
    private let policy: RetryPolicy
    private let end: Timestamp?
    private var random: RandomGenerator

    /// - Parameter end: when the time of all tries is over; nil without a limit.
    init(_ policy: RetryPolicy, until end: Timestamp?, random: RandomGenerator) {
        self.policy = policy
        self.end = end
        self.random = random
    }

    mutating func next(after reply: LoadReply, at now: Timestamp) -> Step {
        if reply.isRefusedByCircuit { return .end(nil) }
        if let end, end <= now { return .end(nil) }
        let advice = reply.retryAdvice
        switch advice.moment {
        case .never: return .end(nil)
        case .atOnce where !wasRepeated && reply.circuitReason == nil:
            wasRepeated = true
            return .pause(.zero)
        case .atOnce: return later(notBefore: nil, base: .zero, after: reply, at: now)
        case .later(let moment, let base): return later(notBefore: moment, base: base, after: reply, at: now)
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
        return .pause(pause)
    }
}

extension LoadReply {
    fileprivate func tried(_ tries: Int, for duration: Duration, andNotAgain reason: String? = nil) -> LoadReply {
        guard tries > 1 || reason != nil, var attempt = attempts.last else { return self }
        var copy = self
        for more in [reason, tries > 1 ? "tried \(tries) times" : nil] { if let more { attempt.add(reason: more) } }
        (attempt.duration, attempt.tries) = (duration, tries)
        copy.attempts = [attempt]
        return copy
    }
}
