extension DataPipeline {
    /// Fetches the values of several keys, with as few calls of its sources as these allow (``Source/batching``).
    ///
    /// Each outcome is the one of a ``fetch(_:policy:priority:timeout:progress:)-(Key,_,_,_,_)`` of its key: what a cache has is not asked
    /// for, what is being loaded is waited for, and one that fails says nothing of the others. A key that stands twice is loaded once.
    ///
    /// A source that reads one key at a time is asked for all of them at the same time: where it cannot bear that, give it a bound, such as
    /// the `limits` of `http`.
    ///
    /// - Parameters:
    ///   - priority: the order in which requests are sent when they must wait for an origin; nil for the pipeline's own.
    ///   - timeout: the time for all of them; the shorter of it and the pipeline's deadline holds.
    /// - Returns: the outcomes, in the order of the keys.
    public func fetch(
        many keys: [Key], policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil
    ) async throws -> [Outcome] {
        try await fetch(many: keys, policy: policy, priority: priority, timeout: timeout, for: nil) { _, _ in }
    }

    /// Fetches the values of several targets of links, with as few calls as their sources allow.
    ///
    /// - Parameters:
    ///   - part: how the whole asks for them; nil for a fetch of its own.
    ///   - note: called with each outcome as it comes. What it throws ends the fetch; loads that nothing else waits for are
    ///     cancelled.
    package func fetch(
        many keys: [Key], policy: FetchPolicy, priority: Priority?, timeout: Duration?, for part: PartDemand?,
        _ note: @Sendable (Key, Outcome) throws -> Void
    ) async throws -> [Outcome] {
        try Task.checkCancellation()
        try checkOpen()
        var outcomes = keys.map { policy.readsCaches ? fresh($0) : nil }
        let missing = outcomes.indices.filter { outcomes[$0] == nil }
        let gathering = missing.count > 1 && readsSeveral ? Gathering(missing.count, clock: clock) : nil
        // A refresh is for later fetches, also where this one ended early.
        defer { if let gathering { refresh(gathering.end()) } }
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for (place, index) in missing.enumerated() {
                let (key, member) = (keys[index], gathering?.member(place))
                group.addTask {
                    defer { member?.leave() }
                    let outcome = try await self.fetch(
                        key, policy: policy, priority: priority, timeout: timeout, as: member, for: part)
                    return (index, outcome)
                }
            }
            for try await (index, outcome) in group {
                outcomes[index] = outcome
                try note(keys[index], outcome)
            }
        }
        return outcomes.compactMap(\.self)
    }

    /// Whether a source reads several keys at once.
    var readsSeveral: Bool { tiers.contains { $0.batching != nil } }

    /// Refreshes these in the background, with as few calls as a fetch of them makes.
    private func refresh(_ replies: [(key: Key, reply: LoadReply)]) {
        if replies.isEmpty { return }
        let gathering = Gathering(replies.count, clock: clock)
        for (place, (key, reply)) in replies.enumerated() {
            let member = gathering.member(place)
            if !refresh(key, from: reply, as: member) { member.leave() }
        }
    }
}
