extension Loader {
    /// Asks this loader, and `next` when it has no answer: a miss, an expired copy, an error, a timeout, an invalid payload.
    public func fallback(to next: Loader) -> Loader {
        Loader(name, immediate: immediate) { request in
            let reply = try await load(request)
            guard reply.goesOn else { return reply }
            var onward = request
            // Whoever asks it again has time of its own.
            if onward.awaited?.name == name { onward.awaited = nil }
            onward.expired += reply.expired
            onward.lacking += reply.lacking
            onward.asked += reply.attempts.filter { $0.outcome != .skipped }.map(\.source)
            onward.failed += reply.attempts.filter(\.isFailure).map(\.source)
            return reply.followed(by: try await next(onward))
        }
    }
}

extension Attempt {
    /// Whether the source could not be asked or did not answer; a damaged copy is an answer.
    fileprivate var isFailure: Bool {
        switch outcome {
        case .error, .timeout, .skipped: true
        case .hit, .stale, .expired, .miss, .notFound, .invalid: false
        }
    }
}

extension LoadReply {
    /// The reply of two loaders of which the second was asked because this one had no answer.
    fileprivate func followed(by next: LoadReply) -> LoadReply {
        var sum = next
        sum.attempts = attempts + next.attempts
        sum.expired = expired + next.expired
        sum.lacking = lacking + next.lacking
        sum.writes = writes?.joined(by: next.writes) ?? next.writes
        if case .none = next.answer, case .failed = answer { sum.answer = answer }
        return sum
    }
}
