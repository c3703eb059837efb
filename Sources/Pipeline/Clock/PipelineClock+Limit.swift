extension PipelineClock {
    /// What `work` returns within `limit`; later it is cancelled, and `late` is thrown.
    package func limiting<Value: Sendable>(
        to limit: Duration?, late: SourceError, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let limit else { return try await work() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw late }
            return value
        }
    }
}
