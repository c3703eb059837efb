extension Loader {
    /// Ends the fetch when this loader fails: nothing below it is asked.
    package func failingFinally() -> Loader {
        changing { reply, _ in reply.failFinally() }
    }

    /// Does not take an origin's `not_found` for an answer where `policy` says so: the next tier is asked, or the tier counts as failed.
    package func takingNotFound(as policy: NotFoundPolicy) -> Loader {
        guard policy != .stop else { return self }
        return changing { reply, _ in
            guard case .notFound = reply.answer, let last = reply.attempts.last else { return }
            reply.answer = policy == .next ? .none : .failed(isFinal: false)
            let reason = policy == .next ? "on_not_found: next" : "on_not_found: fail, counts as an error"
            let reasons = [last.reason, reason].compactMap { $0 }.joined(separator: ", ")
            reply.attempts = Attempts(Attempt(last.source, last.outcome, duration: last.duration, reason: reasons, error: last.error))
        }
    }

    /// Skips the source while its circuit is open. A half-open circuit lets a single request through, which is not tried again.
    func breaking(_ breaker: CircuitBreaker) -> Loader {
        Loader(name, begin: beginningOfAnswers) { request in
            var request = request
            switch breaker.admit() {
            case .free: break
            case .probe: request.isTriedOnce = true
            case .refused(let pause):
                let attempt = Attempt(name, .skipped, reason: "circuit open for another \(pause.rounded)")
                return LoadReply(.failed(isFinal: false), attempts: Attempts(attempt))
            }
            do {
                let reply = try await load(request)
                switch reply.failureKind {
                // A source that was not asked says nothing, one that rejects a request is well.
                case .skipped, .unasked: breaker.giveBack()
                case .rejected: breaker.succeed(.read)
                default: if reply.hasFailed { breaker.fail(.read) } else { breaker.succeed(.read) }
                }
                return reply
            } catch {
                breaker.giveBack()
                throw error
            }
        }
    }
}

extension LoadReply {
    /// Makes a failure final: the fetch ends with this reply.
    mutating func failFinally() {
        if case .failed = answer { answer = .failed(isFinal: true) }
    }
}
