import Synchronization

/// Work that outlives the fetch that asked for it, owned here and ended here.
package final class BackgroundTasks: Sendable {
    private enum ID: Hashable {
        case refresh(Key)
        case load(UInt64)
    }

    private struct State {
        var tasks: [ID: Task<Void, Never>] = [:]
        var adopted: UInt64 = 0
        /// The refreshes that wait for ``BackgroundTasks/startHeld()``; nil while they start at once.
        var held: [Key: @Sendable () async -> Void]?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Whether anything runs, or is held.
    var hasWork: Bool { state.withLock { !$0.tasks.isEmpty || $0.held?.isEmpty == false } }

    /// From now on refreshes wait for ``startHeld()``.
    func hold() {
        state.withLock { $0.held = $0.held ?? [:] }
    }

    /// Starts the refreshes that were held; later ones start at once.
    func startHeld() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held ?? [:]
        }
        for (key, work) in held { start(key, work) }
    }

    /// Starts `work` for `key`, or holds it. Does nothing when work for the key runs already, or everything was stopped. Returns whether it
    /// started.
    @discardableResult
    func start(_ key: Key, _ work: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.tasks[.refresh(key)] == nil else { return false }
            if state.held != nil {
                state.held?[key] = work
                return false
            }
            // Ends with its work, or in `cancelAll`.
            state.tasks[.refresh(key)] = Task {
                await work()
                self.state.withLock { $0.tasks[.refresh(key)] = nil }
            }
            return true
        }
    }

    /// Takes over a load that goes on after its fetch was answered.
    package func adopt(_ load: Task<Void, Never>) {
        let isStopped = state.withLock { state in
            guard !state.isStopped else { return true }
            state.adopted += 1
            let id = ID.load(state.adopted)
            // Ends with the load, or in `cancelAll`.
            state.tasks[id] = Task {
                await withTaskCancellationHandler {
                    await load.value
                } onCancel: {
                    load.cancel()
                }
                self.state.withLock { $0.tasks[id] = nil }
            }
            return false
        }
        if isStopped { load.cancel() }
    }

    /// Waits for all that runs now; no longer when the caller is cancelled.
    func finishAll() async {
        let tasks = state.withLock { Array($0.tasks.values) }
        let ended = Race<Void>()
        // Ends with the last of them.
        Task {
            for task in tasks { await task.value }
            ended.finish(.success(()))
        }
        try? await ended.value()
    }

    /// Cancels all that runs, and starts nothing any more. Does not wait: a load may ignore its cancellation.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isStopped = true
            state.held = nil
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
