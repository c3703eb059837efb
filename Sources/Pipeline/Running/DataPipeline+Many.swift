extension DataPipeline {
    /// Fetches the values of several keys, with as few calls of its sources as these allow (``Source/batching``).
    ///
    /// Each outcome is that of a ``fetch(_:policy:priority:timeout:progress:)`` of its key: what a cache has is not asked for, what is being
    /// loaded is waited for, and one that fails says nothing of the others. A key that occurs twice is fetched once.
    ///
    /// - Parameters:
    ///   - timeout: the time for all of them; the shorter of it and the pipeline's deadline holds.
    /// - Returns: the outcomes, in the order of the keys.
    public func fetch(
        many keys: [Key], policy: FetchPolicy = .default, priority: Priority? = nil, timeout: Duration? = nil
    ) async throws -> [Outcome] {
        var outcomes: [Outcome?] = Array(repeating: nil, count: keys.count)
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for (index, key) in keys.enumerated() {
                group.addTask { (index, try await self.fetch(key, policy: policy, priority: priority, timeout: timeout)) }
            }
            for try await (index, outcome) in group { outcomes[index] = outcome }
        }
        return outcomes.compactMap(\.self)
    }
}
