extension PipelineClock {
    /// What `work` returns within `limit`; later it is cancelled, and `late` is thrown when it has ended.
    package func limiting<Value: Sendable>(
        to limit: Duration?, late: SourceError, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let limit else { return try await work() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let race = Race<Value>()
            // One alarm, not a task that sleeps: most work ends long before.
            let alarm = alarms.set(at: now + limit) { race.finish(.failure(late)) }
            defer {
                alarms.cancel(alarm)
                group.cancelAll()
            }
            group.addTask { race.finish(await Result { try await work() }) }
            return try await race.value()
        }
    }
}
