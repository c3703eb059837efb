import Synchronization

/// Work that outlives the fetch that asked for it, at most one piece for each key, owned here and ended here.
final class BackgroundTasks: Sendable {
    private struct State {
        var tasks: [Key: Task<Void, Never>] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Starts `work` for `key` unless some runs for it, or everything was stopped.
    func start(_ key: Key, _ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isStopped, state.tasks[key] == nil else { return }
            // Ends with its work, or in `cancelAll`.
            state.tasks[key] = Task {
                await work()
                self.state.withLock { $0.tasks[key] = nil }
            }
        }
    }

    /// Waits for all that runs now.
    func finishAll() async {
        for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
    }

    /// Cancels all that runs, waits for it to end, and starts nothing any more.
    func cancelAll() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
