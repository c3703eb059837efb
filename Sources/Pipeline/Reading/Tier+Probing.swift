extension Tier {
    /// Whether ``probe(_:)`` can ask it: it answers on the calling thread, and no policy would have it wait or count, or bounds its time.
    var isProbed: Bool {
        let isUnbound = policy.timeout == nil && policy.softTimeout == nil
        return isPlain && (isImmediate || isUnbound && synchronous != nil)
    }

    /// Whether ``probe(_:unless:)`` can ask it: it keeps its time itself, and no policy would have it asked again, or count.
    var isAwaited: Bool { isPlain && punctual != nil && policy.softTimeout == nil }

    private var isPlain: Bool { isCache && policy.reads && policy.retry == nil && breaker == nil }

    /// What its ``loader()`` would reply, without a task, a limit or a wait; nil when that has to be called, and nothing is done.
    func probe(_ request: LoadRequest) -> LoadReply? {
        guard let queue, request.policy.readsCaches else { return nil }
        let begin = clock.now
        // What begins too late is the loader's to refuse.
        guard request.deadline.map({ begin < $0 }) ?? true, policy.timeLimit > .zero else { return nil }
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
        if policy.onError == .fail { reply.failFinally() }
        tell(reply, of: request.key)
        return reply
    }

    /// What its ``loader()`` would reply, in the task of who asks; nil when that has to be called, or nobody is to wait any more, and
    /// nothing is done.
    func probe(_ request: LoadRequest, unless callOff: CallOff) async -> LoadReply? {
        guard let punctual, let queue, request.policy.readsCaches, case .source = queue.view(of: request.key) else { return nil }
        guard var reply = try? await ask(punctual, for: request, unless: callOff) else { return nil }
        if policy.onError == .fail { reply.failFinally() }
        tell(reply, of: request.key)
        return reply
    }

    private func readNow(_ key: Key) throws -> Entry? {
        if let immediate { immediate.peek(key) } else { try synchronous?.readNow(key) }
    }
}
