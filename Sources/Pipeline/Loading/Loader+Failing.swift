extension Loader {
    /// Ends the fetch when this loader fails: nothing below it is asked.
    package func failingFinally() -> Loader {
        changing { reply, _ in reply.failFinally() }
    }

    /// Does not take an origin's `not_found` for an answer where `policy` says so: the next tier is asked, or the tier counts as failed.
    package func takingNotFound(as policy: NotFoundPolicy) -> Loader {
        guard policy != .stop else { return self }
        return changing { reply, _ in
            guard case .notFound = reply.answer, var attempt = reply.attempts.last else { return }
            reply.answer = policy == .next ? .none : .failed(isFinal: false)
            attempt.add(reason: policy == .next ? "on_not_found: next" : "on_not_found: fail, counts as an error")
            reply.attempts = [attempt]
        }
    }

    /// Skips the source while its circuit is open. A half-open circuit lets a single request through.
    ///
    /// Of a source that is tried again each try counts, apart from one that was surely not processed and is repeated at once. The reply of a
    /// failure that finds the circuit open, or opens it, says so: ``LoadReply/circuitReason``.
    func breaking(_ breaker: CircuitBreaker) -> Loader {
        Loader(name) { request in
            let admission = breaker.admit()
            if case .refused(let pause) = admission {
                let reason = CircuitBreaker.reason(openFor: pause)
                var reply = LoadReply(.failed(isFinal: false), attempts: [Attempt(name, .skipped, reason: reason)])
                reply.circuitReason = reason
                return reply
            }
            do {
                var reply = try await load(request)
                switch reply.failureKind {
                // A source that was not asked says nothing, one that rejects a request is well.
                case .skipped, .unasked: breaker.giveBack(admission)
                case .rejected: breaker.succeed(.read)
                case _ where !reply.hasFailed: breaker.succeed(.read)
                case _ where request.isRepeatedAtOnce && reply.retryAdvice.isAtOnce && admission == .free: break
                default: reply.circuitReason = breaker.fail(.read).map(CircuitBreaker.reason)
                }
                return reply
            } catch {
                breaker.giveBack(admission)
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
