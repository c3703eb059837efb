import Synchronization

/// Ends a wait from outside, for who waits neither in a task that could be cancelled nor in a seat of a flight.
package final class CallOff: Sendable {
    private enum State {
        case idle
        case waiting(@Sendable () -> Void)
        case over
    }

    private let state = Mutex(State.idle)

    package init() {}

    /// Has `end` called when the wait is called off, at once when it is already. Of several waits the last is meant.
    ///
    /// - Parameter end: may be called after the wait has ended by itself, and does nothing then.
    func watch(_ end: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if case .over = state { return true }
            state = .waiting(end)
            return false
        }
        if isOver { end() }
    }

    /// Calls it off: whoever waits, or begins to, is told.
    package func call() {
        let state = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .waiting(let end) = state { end() }
    }
}
