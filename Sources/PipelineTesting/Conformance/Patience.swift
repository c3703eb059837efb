package import Pipeline

/// How long a check may take.
package struct Patience: Sendable {
    let clock: PipelineClock
    let limit: Duration

    package init(clock: PipelineClock, limit: Duration) {
        self.clock = clock
        self.limit = limit
    }

    /// The result of `task`; nil when the time is over first: the task is then cancelled and left behind.
    ///
    /// A task measures the time, not an alarm of the clock: where all threads are busy, both tasks come late, and only a task that never ends
    /// counts as slow.
    func result(of task: Task<Void, any Error>) async -> Result<Void, any Error>? {
        let race = Race<Result<Void, any Error>?>()
        // The first ends with the task, the second is cancelled below.
        Task { race.finish(.success(await task.result)) }
        let timer = Task {
            try await clock.sleep(for: limit)
            race.finish(.success(nil))
        }
        defer { timer.cancel() }
        let result = try? await race.value()
        if result == nil { task.cancel() }
        return result ?? nil
    }
}
