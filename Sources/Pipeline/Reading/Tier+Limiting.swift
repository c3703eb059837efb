extension Tier {
    /// What `work` comes to within this tier's time to answer. Later it is cancelled, and left behind when it ignores that.
    ///
    /// - Parameter abandoned: gets the task of work that nobody waits for any more, and that may still do what it was to do.
    func limiting<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value, abandoned: (Task<Void, Never>) -> Void = { _ in }
    ) async throws -> Value {
        let limit = policy.timeLimit
        let end = clock.now + limit
        let race = Race<Value>()
        // Ends with the work; cancelled below when nobody waits for it any more.
        let task = Task.beginning { _ = race.finish(await Result { try await work() }) }
        if case .success(let value) = race.result { return value }
        let alarm = clock.alarms.set(at: end) {
            race.finish(.failure(SourceError(timeout: "no answer within \(limit.spelling)")))
        }
        defer { clock.alarms.cancel(alarm) }
        do {
            return try await race.value()
        } catch {
            task.cancel()
            abandoned(task)
            throw error
        }
    }
}
