extension Loader {
    /// Tries a failed load again, as `policy` and the failure say (``SourceError/retry``). The tier still makes one attempt, which names how
    /// often it was tried.
    ///
    /// Misses, expired copies and `not_found` are answers; only errors, timeouts and invalid payloads are tried again. The pauses are random,
    /// so that many that failed together do not come again together.
    package func retrying(_ policy: RetryPolicy, clock: PipelineClock, random: RandomGenerator = .system) -> Loader {
        Loader(name, begin: beginningOfAnswers) { request in
            let begin = clock.now
            var tries = Tries(policy, of: request, random: random)
            var reply = try await load(request)
            while reply.hasFailed {
                switch tries.next(after: reply.retryAdvice, at: clock.now) {
                case .end(let reason): return reply.tried(tries.count, for: clock.now.duration(since: begin), andNotAgain: reason)
                case .pause(let pause): try await clock.sleep(for: pause)
                }
                // Without what was found before the load: that is what failed.
                reply = try await load(request.unasked)
            }
            return reply.tried(tries.count, for: clock.now.duration(since: begin))
        }
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
    private let policy: RetryPolicy
    private let request: LoadRequest
    private var random: RandomGenerator
    private var wasRepeated = false

    init(_ policy: RetryPolicy, of request: LoadRequest, random: RandomGenerator) {
        self.policy = policy
        self.request = request
        self.random = random
    }

    mutating func next(after advice: RetryAdvice, at now: Timestamp) -> Step {
        if request.isTriedOnce { return .end(nil) }
        switch advice.moment {
        case .never: return .end(nil)
        case .atOnce where !wasRepeated:
            wasRepeated = true
            return .pause(.zero)
        case .atOnce: return later(notBefore: nil, base: .zero, advice, at: now)
        case .later(let moment, let base): return later(notBefore: moment, base: base, advice, at: now)
        }
    }

    private mutating func later(notBefore moment: Timestamp?, base: Duration, _ advice: RetryAdvice, at now: Timestamp) -> Step {
        guard count < policy.attempts else { return .end(nil) }
        let longest = policy.delay(after: count, base: base).saturatedNanoseconds
        let drawn = Duration.nanoseconds(longest > 0 ? Int64.random(in: 0...longest, using: &random) : 0)
        let asked = moment.map { max(.zero, $0.duration(since: now)) } ?? .zero
        // What was asked for does not get shorter by trying; it may be longer than the tier has.
        if asked > .zero, let end = request.readEnd ?? request.deadline, now + asked >= end {
            return .end("asked to wait \(asked.roundedUp)")
        }
        let pause = max(drawn, asked)
        if let deadline = request.deadline, now + pause >= deadline { return .end(nil) }
        if let refusal = advice.refusal() { return .end(refusal) }
        count += 1
        return .pause(pause)
    }
}

extension LoadReply {
    /// What the failure says about another try.
    fileprivate var retryAdvice: RetryAdvice { (attempts.last?.error as? SourceError)?.retry ?? .later() }

    fileprivate func tried(_ tries: Int, for duration: Duration, andNotAgain reason: String? = nil) -> LoadReply {
        guard tries > 1 || reason != nil, let last = attempts.last else { return self }
        var copy = self
        let reasons = [last.reason, reason, tries > 1 ? "tried \(tries) times" : nil]
        copy.attempts = Attempts(
            Attempt(
                last.source, last.outcome, duration: duration, reason: reasons.compactMap { $0 }.joined(separator: ", "),
                detail: last.detail, error: last.error, tries: tries))
        return copy
    }
}
