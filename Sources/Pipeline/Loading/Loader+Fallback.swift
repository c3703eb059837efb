extension Loader {
    /// Asks this loader, and `next` when it has no answer: a miss, an expired copy, an error, a timeout, an invalid payload.
    package func fallback(to next: Loader) -> Loader {
        Loader(name) { request in
            let reply = try await load(request)
            guard reply.goesOn else { return reply }
            return reply.followed(by: try await next.load(request.following(reply)))
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
        sum.detail = next.detail ?? (next.isAnswer ? detail?.replaced(by: next.entry) : detail?.unused)
        sum.writes = writes?.joined(by: next.writes) ?? next.writes
        if case .none = next.answer, case .failed = answer { sum.answer = answer }
        // The call of another load, most likely a refresh, has just failed: the origin is not asked once more at once.
        if joined != nil, hasFailed { sum.wantsRefresh = false }
        return sum
    }
}
