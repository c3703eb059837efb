package import Pipeline

/// How long a check may take.
package struct Patience: Sendable {
    let clock: PipelineClock
    let limit: Duration

    package init(clock: PipelineClock, limit: Duration) {
        self.clock = clock
        self.limit = limit
    }

    /// What `task` comes to; nil when the time is up before, and then it is cancelled and left alone.
    func result(of task: Task<Void, any Error>) async -> Result<Void, any Error>? {
        let (results, continuation) = AsyncStream.makeStream(of: Result<Void, any Error>?.self)
        // The first ends with the task, the second is cancelled below.
        Task { continuation.yield(await task.result) }
        let timer = Task {
            try await clock.sleep(for: limit)
            continuation.yield(nil)
        }
        defer { timer.cancel() }
        for await result in results {
            if result == nil { task.cancel() }
            return result
        }
        return nil
    }
}
