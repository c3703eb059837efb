import Synchronization

/// One task's place in a list of waiting tasks. It is settled once: by ``admit()``, which may come first, or by the task's cancellation.
final class Ticket: Sendable {
    private enum State {
        case issued
        case waiting(CheckedContinuation<Void, any Error>)
        case admitted
        case cancelled
    }

    private let state = Mutex(State.issued)

    /// Lets the task that waits, or will wait, go on.
    func admit() {
        settle(as: .admitted)?.resume()
    }

    /// Waits to be admitted; throws `CancellationError` when the task is cancelled before.
    ///
    /// - Parameter leave: takes the ticket off the list; called when the task is cancelled, before it sees the error.
    func wait(leaving leave: @Sendable () -> Void) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled = state.withLock { state -> State in
                    if case .issued = state { state = .waiting(continuation) }
                    return state
                }
                switch settled {
                case .issued, .waiting: break
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
            case .issued:
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

extension [Ticket] {
    /// Admits all, in order. Call it outside the lock that guards the list.
    func admit() {
        for ticket in self { ticket.admit() }
    }
}
