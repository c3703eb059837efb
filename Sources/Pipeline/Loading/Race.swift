import Synchronization

/// A place where one task waits for the first of several results; those that come later are dropped.
package final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case done(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// The result, when there is one already.
    var result: Result<Value, any Error>? {
        state.withLock { if case .done(let result) = $0 { result } else { nil } }
    }

    /// Settles the race unless it is settled; says whether this call did.
    @discardableResult
    package func finish(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            switch state {
            case .done: return (false, nil)
            case .open:
                state = .done(result)
                return (true, nil)
            case .waiting(let continuation):
                state = .done(result)
                return (true, continuation)
            }
        }
        waiter?.resume(with: result)
        return isFirst
    }

    /// The first result. Ends at once with `CancellationError` when the waiting task is cancelled. Await it once.
    package func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .done(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}
