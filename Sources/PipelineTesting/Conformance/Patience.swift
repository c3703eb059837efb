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
        let result = try? await clock.race(until: clock.now + limit, late: { nil }) { await task.result }
        if result == nil { task.cancel() }
        return result
    }
}
