extension Tier {
    /// Whether ``probe(_:)`` can ask it: it answers on the calling thread, and no policy would have it wait or count, or bounds its time.
    var isProbed: Bool {
        let isUnbound = policy.timeout == nil && policy.softTimeout == nil
        return isCache && policy.reads && policy.retry == nil && breaker == nil && (isImmediate || isUnbound && synchronous != nil)
    }

    /// What its ``loader()`` would reply, without a task, a limit or a wait; nil when that has to be called, and nothing is done.
    func probe(_ request: LoadRequest) -> LoadReply? {
        guard let queue, request.policy.readsCaches else { return nil }
        let begin = clock.now
        // What begins too late is the loader's to refuse.
        guard request.deadline.map({ begin < $0 }) ?? true, (policy.timeout ?? TierPolicy.defaultTimeout) > .zero else { return nil }
        var reply: LoadReply
        switch queue.view(of: request.key) {
        case .distrusted: return nil
        case .pending(let entry): reply = judged(entry, for: request, since: begin)
        case .source:
            do {
                reply = judged(try readNow(request.key), for: request, since: begin)
            } catch {
                reply = failed(error, since: begin)
            }
        }
        if policy.onError == .fail, case .failed = reply.answer { reply.answer = .failed(isFinal: true) }
        if let observer {
            for attempt in reply.attempts { observer(.attempt(attempt, key: request.key)) }
        }
        return reply
    }

    private func readNow(_ key: Key) throws -> Entry? {
        if let immediate { immediate.peek(key) } else { try synchronous?.readNow(key) }
    }
}
