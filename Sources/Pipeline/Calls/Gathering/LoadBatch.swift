import Synchronization

/// Loads of several keys that become one, so that retries, circuit breaker and time limits see one load.
final class LoadBatch: Sendable {
    let loads: [Gathered]
    /// Their keys, each once.
    let keys: [Key]
    /// The greatest of their priorities as it changes, until ``end()``; nil where none has any.
    let priority: LoadPriority?
    private let positions: [Key: Int]
    private let observations: [(priority: LoadPriority, number: UInt64)]
    /// The reply to each of them, as the source answered last.
    private let members = Mutex<[LoadReply]?>(nil)

    init(_ loads: [Gathered]) {
        self.loads = loads
        var (keys, positions): ([Key], [Key: Int]) = ([], [:])
        for load in loads where positions[load.call.key] == nil {
            positions[load.call.key] = keys.count
            keys.append(load.call.key)
        }
        (self.keys, self.positions) = (keys, positions)
        let priorities = loads.compactMap(\.standing.originLoad)
        let greatest: @Sendable () -> Priority = { priorities.map(\.current).max() ?? .normal }
        let priority = priorities.isEmpty ? nil : LoadPriority(greatest())
        observations = priorities.map { each in (each, each.observe { _ in priority?.set(greatest()) }) }
        self.priority = priority
    }

    /// Its priority changes no more.
    func end() { for (priority, number) in observations { priority.stopObserving(number) } }

    /// The call for all of them, which ends when the last of them must.
    var call: Call {
        let calls = loads.map(\.call)
        let deadlines = calls.compactMap(\.deadline)
        return Call(
            Call.ID(key: calls[0].key, policy: calls[0].policy), deadline: deadlines.count == calls.count ? deadlines.max() : nil,
            priority: calls.map(\.priority).max() ?? .normal, for: part)
    }

    /// The tier's time to answer began with the first that waited.
    var standing: Standing {
        var standing = Standing()
        standing.attempt.since = loads.map(\.since).min()
        return standing
    }

    /// How they are asked for, where all are for parts of one fetch: a call that others take part in is not its alone.
    private var part: PartDemand? {
        var part = loads.first?.call.part
        guard loads.allSatisfy({ $0.call.part?.bounds === part?.bounds }) else { return nil }
        part?.isOptional = loads.allSatisfy { $0.call.part?.isOptional ?? false }
        return part
    }

    /// The source answered with these, one for each load.
    func note(_ replies: [LoadReply]) { members.withLock { $0 = replies } }

    /// The result of a source for `key`.
    func result(for key: Key, in answer: BatchAnswer) -> Result<Entry?, any Error> {
        positions[key].map { answer.results[$0] } ?? .success(nil)
    }

    /// The reply to each load, of the reply to all of them.
    ///
    /// - Parameter isOfOrigin: whether it is that of an origin, whose calls are counted.
    func replies(from reply: LoadReply, isOfOrigin: Bool) -> [LoadReply] {
        let tries = reply.attempts.last?.tries ?? 1
        let words = "in a batch of \(keys.count)"
        let call = isOfOrigin ? reply.attempts.last?.call ?? BatchCall() : nil
        guard !reply.hasFailed, let members = members.withLock({ $0 }) else { return loads.map { _ in reply.noting(words, of: call) } }
        return members.map { $0.noting(tries > 1 ? "\(words), tried \(tries) times" : words, of: call, tries: tries) }
    }
}

extension LoadReply {
    /// The reply with more to say about its last attempt.
    fileprivate func noting(_ words: String, of call: BatchCall?, tries: Int? = nil) -> LoadReply {
        guard var attempt = attempts.last else { return self }
        attempt.add(reason: words)
        attempt.call = call
        if let tries { attempt.tries = tries }
        var noted = self
        noted.attempts = [attempt]
        return noted
    }
}
