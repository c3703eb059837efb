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
        Loader(name) { call, trail, standing in
            let admission = breaker.admit()
            if case .refused(let pause) = admission {
                let reason = CircuitBreaker.reason(openFor: pause)
                var reply = LoadReply(.failed(isFinal: false), attempts: [Attempt(name, .skipped, reason: reason)])
                reply.obstacle = .circuit(reason)
                return reply
            }
            do {
                var reply = try await load(call, trail, standing)
                switch reply.failureKind {
                // A source that was not asked says nothing, one that rejects a request is well.
                case .skipped, .unasked: breaker.giveBack(admission)
                case .rejected: breaker.succeed(.read)
                case _ where !reply.hasFailed: breaker.succeed(.read)
                case _ where standing.attempt.isRepeatedAtOnce && reply.retryAdvice.isAtOnce && admission == .free: break
                default: if let pause = breaker.fail(.read) { reply.meet(.circuit(CircuitBreaker.reason(openFor: pause))) }
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

extension Loader {
    /// Asks this loader, and `next` when it has no answer: a miss, an expired copy, an error, a timeout, an invalid payload.
    package func fallback(to next: Loader) -> Loader {
        Loader(name) { call, trail, standing in
            let reply = try await load(call, trail, standing)
            guard reply.goesOn else { return reply }
            return reply.followed(by: try await next.load(call, trail.followed(by: reply.trail), standing))
        }
    }
}

extension LoadReply {
    /// The reply of two loaders of which the second was asked because this one had no answer.
    fileprivate func followed(by next: LoadReply) -> LoadReply {
        var sum = next
        sum.trail = trail.followed(by: next.trail)
        sum.detail = next.detail ?? (next.isAnswer ? detail?.replaced(by: next.entry) : detail?.unused)
        sum.writes = writes?.joined(by: next.writes) ?? next.writes
        if case .none = next.answer, case .failed = answer { sum.answer = answer }
        // The call of another load, most likely a refresh, has just failed: the origin is not asked once more at once.
        if course.joined != nil, hasFailed { sum.wantsRefresh = false }
        return sum
    }
}
