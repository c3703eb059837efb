import Synchronization

/// The priority of a load while it runs: the greatest of its waiters', anew each time one joins, changes its mind or leaves.
public final class LoadPriority: Sendable {
    private struct State {
        var current: Priority
        var nextNumber: UInt64 = 0
        var observers: [UInt64: @Sendable (Priority) -> Void] = [:]
    }

    private let state: Mutex<State>

    /// A load of this priority.
    public init(_ priority: Priority = .normal) { state = Mutex(State(current: priority)) }

    /// What it is now.
    public var current: Priority { state.withLock { $0.current } }

    /// Sets the priority and tells the observers of a change, on the calling thread.
    public func set(_ priority: Priority) {
        let observers = state.withLock { state in
            guard state.current != priority else { return [(@Sendable (Priority) -> Void)]() }
            state.current = priority
            return Array(state.observers.values)
        }
        for observer in observers { observer(priority) }
    }

    /// Calls `body` at each change from now on, until ``stopObserving(_:)`` with the number that this returns. A change that happens meanwhile
    /// may be told after it.
    public func observe(_ body: @escaping @Sendable (Priority) -> Void) -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            state.observers[state.nextNumber] = body
            return state.nextNumber
        }
    }

    /// Ends the observation of this number.
    public func stopObserving(_ number: UInt64) { state.withLock { $0.observers[number] = nil } }
}
