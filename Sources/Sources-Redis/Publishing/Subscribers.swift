internal import Pipeline
import Synchronization

/// The subscriptions of one source, so that closing it ends them.
final class Subscribers: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var count = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Does `body` in a task that ends with the caller's, or with ``close()``.
    func run(_ body: @escaping @concurrent @Sendable () async -> Void) async {
        let started = state.withLock { state -> (Int, Task<Void, Never>)? in
            guard !state.isClosed else { return nil }
            state.count += 1
            let task = Task(operation: body)
            state.tasks[state.count] = task
            return (state.count, task)
        }
        guard let (number, task) = started else { return }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { _ = $0.tasks.removeValue(forKey: number) }
    }

    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
