import Synchronization

/// A task that waits in a list, or is about to. It is settled once: by ``admit()``, which may come first, or by the task's cancellation.
final class WaitingTask: Sendable {
    private enum State {
        case made
        case waiting(CheckedContinuation<Void, any Error>)
        case admitted
        case cancelled
    }

    private let state = Mutex(State.made)

    /// Lets the task that waits, or will wait, go on.
    func admit() {
        settle(as: .admitted)?.resume()
    }

    /// Waits to be admitted; throws `CancellationError` when the task is cancelled before.
    ///
    /// - Parameter leave: removes it from the list; called when the task is cancelled, before it sees the error.
    func wait(leaving leave: @Sendable () -> Void) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled = state.withLock { state -> State in
                    if case .made = state { state = .waiting(continuation) }
                    return state
                }
                switch settled {
                case .made, .waiting: break
                case .admitted: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            leave()
            settle(as: .cancelled)?.resume(throwing: CancellationError())
        }
    }

    private func settle(as end: State) -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            switch state {
            case .made:
                state = end
                return nil
            case .waiting(let continuation):
                state = end
                return continuation
            case .admitted, .cancelled:
                return nil
            }
        }
    }
}

extension [WaitingTask] {
    /// Admits all, in order. Call it outside the lock that guards the list.
    func admit() {
        for waiter in self { waiter.admit() }
    }
}

/// The tests that wait until a count has reached a number. A value inside the mutex that guards the count.
struct CountObservers {
    private var waiting: [(count: Int, waiter: WaitingTask)] = []

    /// Waits for `count`; the waiter is admitted at once when `present` has reached it.
    mutating func add(_ waiter: WaitingTask, waitingFor count: Int, present: Int) {
        if present >= count {
            waiter.admit()
        } else {
            waiting.append((count, waiter))
        }
    }

    /// Removes and returns the waiters that wait for `count` or less.
    mutating func reached(_ count: Int) -> [WaitingTask] {
        guard waiting.contains(where: { $0.count <= count }) else { return [] }
        let admitted = waiting.filter { $0.count <= count }.map(\.waiter)
        waiting.removeAll { $0.count <= count }
        return admitted
    }

    /// Removes a waiter that no longer waits.
    mutating func remove(_ waiter: WaitingTask) {
        waiting.removeAll { $0.waiter === waiter }
    }
}
