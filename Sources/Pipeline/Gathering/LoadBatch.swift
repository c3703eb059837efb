/// Requests for several keys that become one, so that retries, circuit breaker and time limits see one load.
struct LoadBatch: Sendable {
    let requests: [LoadRequest]
    /// Their keys, each once.
    let keys: [Key]
    private let positions: [Key: Int]

    init(_ requests: [LoadRequest]) {
        self.requests = requests
        var (keys, positions): ([Key], [Key: Int]) = ([], [:])
        for request in requests where positions[request.key] == nil {
            positions[request.key] = keys.count
            keys.append(request.key)
        }
        (self.keys, self.positions) = (keys, positions)
    }

    /// The request for all of them, which ends when the last of them must. The tier's time to answer began with the first that waited.
    var request: LoadRequest {
        var request = LoadRequest(requests[0].key, policy: requests[0].policy)
        let deadlines = requests.compactMap(\.deadline)
        request.deadline = deadlines.count == requests.count ? deadlines.max() : nil
        request.tryingSince = requests.compactMap(\.tryingSince).min()
        request.priority = requests.map(\.priority).max() ?? .normal
        request.part = part
        request.batch = self
        return request
    }

    /// How they are asked for, where all are for parts of one fetch: a call that others take part in is not its alone.
    private var part: PartDemand? {
        var part = requests.first?.part
        guard requests.allSatisfy({ $0.part?.bounds === part?.bounds }) else { return nil }
        part?.isOptional = requests.allSatisfy { $0.part?.isOptional ?? false }
        return part
    }

    /// The greatest of their priorities as it changes, and what ends that.
    func followPriorities() -> (load: LoadPriority?, end: @Sendable () -> Void) {
        let loads = requests.compactMap(\.load)
        guard !loads.isEmpty else { return (nil, {}) }
        let greatest: @Sendable () -> Priority = { loads.map(\.current).max() ?? .normal }
        let load = LoadPriority(greatest())
        let observations = loads.map { member in (member, member.observe { _ in load.set(greatest()) }) }
        return (load, { for (member, observation) in observations { member.stopObserving(observation) } })
    }

    /// The result of a source for `request`.
    func result(for request: LoadRequest, in answer: BatchAnswer) -> Result<Entry?, any Error> {
        positions[request.key].map { answer.results[$0] } ?? .success(nil)
    }

    /// The reply to each request, of the reply to all of them.
    ///
    /// - Parameter isOfOrigin: whether it is that of an origin, whose calls are counted.
    func replies(from reply: LoadReply, isOfOrigin: Bool) -> [LoadReply] {
        let tries = reply.attempts.last?.tries ?? 1
        let words = "in a batch of \(keys.count)"
        let call = isOfOrigin ? reply.attempts.last?.call ?? BatchCall() : nil
        guard let members = reply.members else { return requests.map { _ in reply.noting(words, of: call) } }
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
