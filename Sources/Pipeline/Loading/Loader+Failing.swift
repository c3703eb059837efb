extension Loader {
    /// Ends the fetch when this loader fails: nothing below it is asked.
    public func failingFinally() -> Loader {
        Loader(name, immediate: immediate) { request in
            var reply = try await load(request)
            reply.failFinally()
            return reply
        }
    }

    /// Leaves the source alone while its circuit is open.
    func breaking(_ breaker: CircuitBreaker) -> Loader {
        Loader(name, immediate: immediate) { request in
            if let pause = breaker.pause() {
                let attempt = Attempt(name, .skipped, reason: "circuit open for another \(pause.rounded)")
                return LoadReply(.failed(isFinal: false), attempts: Attempts(attempt))
            }
            do {
                let reply = try await load(request)
                if case .failed = reply.answer { breaker.fail(.read) } else { breaker.succeed(.read) }
                return reply
            } catch {
                breaker.giveBack()
                throw error
            }
        }
    }
}

extension LoadReply {
    /// Has the fetch end with this reply, when it is a failure.
    mutating func failFinally() {
        if case .failed = answer { answer = .failed(isFinal: true) }
    }
}
